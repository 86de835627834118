// The dimensions of the defaults, and their form in the variant's name.
// RUN: mmk-opt %s --mmk-apply-variant=machine=ascend910b3 | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// Literal dimensions have tiles like others.
// CHECK-LABEL: mmk.kernel @literals
// CHECK:       mmk.choice "tile.M" = [128] {fit}
// CHECK:       mmk.choice "tile.32" = [256] {fit}
// CHECK:       mmk.choice "tile.64" = [64]
// CHECK:       mmk.choice "stage.64" = [256]
// CHECK:       variant = "cores=20,tile=autoxautox64,stage=256,l1=2,
mmk.kernel @literals dims ["M"]
    args [#mmk.named<"a"["M", "64"]>, #mmk.named<"b"["64", "32"]>] results [#mmk.named<"c"["M", "32"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "32"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
}

// Without a product there is no cube to feed: no L1, no L0, no accumulator, no epilogue.
// CHECK-LABEL: mmk.kernel @elementwise
// CHECK:       } schedule {
// CHECK-NEXT:  mmk.choice "cores" = [20]
// Rows of 512 elements, and as many as leave room in UB for two copies of both tensors and some scratch.
// CHECK-NEXT:  mmk.choice "tile.N" = [512]
// CHECK-NEXT:  mmk.choice "tile.M" = [15]
// CHECK-NEXT:  mmk.choice "buffers.out" = [2]
// CHECK-NEXT:  mmk.choice "buffers.ub" = [2]
// CHECK-NEXT:  mmk.choice "order" = ["rows"]
// CHECK-NEXT:  } attributes {variant = "cores=20,tile=15x512,out=2,ub=2,order=rows"}
mmk.kernel @elementwise dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    %neg = arith.negf %e : f32
    linalg.yield %neg : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}

// H is an output of the first product and the reduction of the second. Its one tile serves both, so
// it gets the smaller default, and is once in the name; the stages are named, since they are not
// the last tiles any more.
// CHECK-LABEL: mmk.kernel @both
// Only a dimension that is an output and no reduction fits the shape.
// CHECK:       mmk.choice "tile.M" = [128] {fit}
// CHECK-NEXT:  mmk.choice "tile.H" = [64]{{$}}
// CHECK-NEXT:  mmk.choice "tile.K" = [64]{{$}}
// CHECK-NEXT:  mmk.choice "tile.N" = [256] {fit}
// CHECK:       mmk.choice "stage.K" = [256]
// CHECK-NEXT:  mmk.choice "stage.H" = [256]
// CHECK:       variant = "cores=20,tile=autox64xautox64,stage.K=256,stage.H=256,
mmk.kernel @both dims ["M", "K", "H", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "H"]>, #mmk.named<"d"["H", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %h = mmk.dim "H"
  %n = mmk.dim "N"
  %empty0 = tensor.empty(%m, %h) : tensor<?x?xf32>
  %fill0 = linalg.fill ins(%zero : f32) outs(%empty0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %ab = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %empty1 = tensor.empty(%m, %h) : tensor<?x?xf16>
  %half = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ab : tensor<?x?xf32>) outs(%empty1 : tensor<?x?xf16>) {
  ^bb0(%e: f32, %out: f16):
    %narrow = arith.truncf %e : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<?x?xf16>
  %empty2 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill2 = linalg.fill ins(%zero : f32) outs(%empty2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %abd = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%half, %d : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %abd : tensor<?x?xf32>
}
