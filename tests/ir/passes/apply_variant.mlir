// One alternative of each directive is left, directives that the schedule does not have get the
// machine's defaults, and the kernel carries the variant's name.
// RUN: mmk-opt %s --mmk-apply-variant=machine=ascend910b3 | FileCheck %s
// RUN: mmk-opt %s --mmk-set-choices="variant=tile.M=64,order=zigzag,buffers.l1.a=3" --mmk-apply-variant=machine=ascend910b3 | FileCheck %s --check-prefix=KEYS
// A variant's printed name is taken back: this one is what CHECK says of @given, with other tiles.
// RUN: mmk-opt %s --mmk-set-choices="variant=cores=2,tile=64x64x32,stage=64,l1=1,l0=1,acc=2,out=1,ub=1,order=columns,fuse=none" --mmk-apply-variant=machine=ascend910b3 | FileCheck %s --check-prefix=NAME
// On another machine other defaults: L1 of the 310p has room for the same stage, but L0C for two
// copies of the accumulator.
// RUN: mmk-opt %s --mmk-apply-variant=machine=ascend310p3 | FileCheck %s --check-prefix=COUPLED

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// The machine becomes an attribute of the module, for all later passes.
// CHECK: module attributes {aicore.machine = #aicore.machine<"ascend910b3", split, cores = 20, vector_cores = 2,
// COUPLED: module attributes {aicore.machine = #aicore.machine<"ascend310p3", coupled, cores = 8, vector_cores = 1,

// Choices of the text keep their first alternative; the satisfied rule is erased.
// CHECK-LABEL: mmk.kernel @given
// KEYS-LABEL:  mmk.kernel @given
// NAME-LABEL:  mmk.kernel @given
// COUPLED-LABEL: mmk.kernel @given
mmk.kernel @given dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // `auto` is every core of the machine.
  // CHECK:      mmk.choice "cores" = [20]
  // CHECK-NEXT: mmk.choice "tile.M" = [128]
  // CHECK-NEXT: mmk.choice "tile.N" = [64]
  // CHECK-NEXT: mmk.choice "tile.K" = [32]
  // CHECK-NEXT: mmk.choice "order" = ["rows"]
  // KEYS:       mmk.choice "cores" = [20]
  // KEYS-NEXT:  mmk.choice "tile.M" = [64]
  // KEYS-NEXT:  mmk.choice "tile.N" = [64]
  // KEYS-NEXT:  mmk.choice "tile.K" = [32]
  // KEYS-NEXT:  mmk.choice "order" = ["zigzag"]
  // COUPLED:    mmk.choice "cores" = [8]
  mmk.choice "cores" = ["auto", 1, 2]
  mmk.choice "tile.M" = [128, 64]
  mmk.choice "tile.N" = [64, 32]
  mmk.choice "tile.K" = [32]
  mmk.choice "order" = ["rows", "swizzle(4)"]
  // CHECK-NOT: mmk.require
  mmk.require "tile.M * tile.N <= 8192 && tile.M % 64 == 0" {
    %tm = mmk.chosen "tile.M"
    %tn = mmk.chosen "tile.N"
    %mn = arith.muli %tm, %tn : index
    %limit = arith.constant 8192 : index
    %small = arith.cmpi sle, %mn, %limit : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : index
    %rest = arith.remsi %tm, %c64 : index
    %even = arith.cmpi eq, %rest, %zero : index
    %ok = arith.andi %small, %even : i1
    mmk.yield %ok : i1
  }
  // Four base tiles a stage; two copies wherever the machine has room for them.
  // CHECK-NEXT: mmk.choice "buffers.l1" = [2]
  // CHECK-NEXT: mmk.choice "stage.K" = [128]
  // CHECK-NEXT: mmk.choice "buffers.l0" = [2]
  // CHECK-NEXT: mmk.choice "buffers.acc" = [2]
  // CHECK-NEXT: mmk.choice "buffers.out" = [2]
  // CHECK-NEXT: mmk.choice "buffers.ub" = [2]
  // CHECK-NEXT: mmk.choice "fuse" = ["all"]
  // CHECK-NEXT: } attributes {variant = "cores=20,tile=128x64x32,stage=128,l1=2,l0=2,acc=2,out=2,ub=2,order=rows,fuse=all"}
  // A directive that only an override names is added.
  // KEYS:       mmk.choice "buffers.l1.a" = [3]
  // KEYS:       variant = "cores=20,tile=64x64x32,stage=128,l1=2,l1.a=3,l0=2,acc=2,out=2,ub=2,order=zigzag,fuse=all"
  // NAME:       variant = "cores=2,tile=64x64x32,stage=64,l1=1,l0=1,acc=2,out=1,ub=1,order=columns,fuse=none"
}

// A kernel without a schedule gets one. The largest tile fills L0C of the 910b, so there is one
// copy of the accumulator; the 310p has twice that. Its size depends on the shape.
// CHECK-LABEL: mmk.kernel @defaults
// CHECK:       mmk.choice "tile.M" = [128] {fit}
// CHECK:       mmk.choice "tile.N" = [256] {fit}
// CHECK:       mmk.choice "tile.K" = [64]{{$}}
// CHECK:       variant = "cores=20,tile=autoxautox64,stage=256,l1=2,l0=2,acc=1,out=2,ub=2,order=rows,fuse=all"
// COUPLED-LABEL: mmk.kernel @defaults
// COUPLED:       variant = "cores=8,tile=autoxautox64,stage=256,l1=2,l0=2,acc=2,out=2,ub=2,order=rows,fuse=all"
mmk.kernel @defaults dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
}

// Bytes count, not elements: i8 takes twice the depth of f16.
// CHECK-LABEL: mmk.kernel @bytes
// CHECK:       variant = "cores=20,tile=autoxautox128,stage=512,
mmk.kernel @bytes dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>):
  %zero = arith.constant 0 : i32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %fill = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%fill : tensor<?x?xi32>) -> tensor<?x?xi32>
  mmk.return %acc : tensor<?x?xi32>
}
