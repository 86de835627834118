// Every op and attribute of the mmk dialect is read back as it was printed, in its own syntax and
// in the generic one.
// RUN: mmk-opt %s | mmk-opt | FileCheck %s
// RUN: mmk-opt %s --mlir-print-op-generic | mmk-opt | FileCheck %s

// A kernel without a schedule: the region is absent, not empty braces.
// CHECK-LABEL: mmk.kernel @bare dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"y"["N"]>] {
// Block arguments are named after the parameters.
// CHECK-NEXT:  ^bb0(%[[X:x]]: tensor<?xf32>):
// CHECK-NEXT:    mmk.return %[[X]] : tensor<?xf32>
// CHECK-NEXT:  }
// CHECK-NOT:   schedule
mmk.kernel @bare dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"y"["N"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
}

// A constant is one behind its dimensions.
// CHECK-LABEL: mmk.kernel @constant dims ["N"] args [#mmk.named<"x"["N"] const>] results [#mmk.named<"y"["N"]>]
mmk.kernel @constant dims ["N"] args [#mmk.named<"x"["N"] const>] results [#mmk.named<"y"["N"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
}

// A literal dimension is its number as text; a scalar has no dimensions, and prints without
// brackets. Several results.
// CHECK-LABEL: mmk.kernel @names dims ["B", "N"]
// CHECK-SAME:    args [#mmk.named<"x"["B", "N", "64"]>, #mmk.named<"alpha">]
// CHECK-SAME:    results [#mmk.named<"y"["B", "N", "64"]>, #mmk.named<"z"["B", "N", "64"]>]
mmk.kernel @names dims ["B", "N"]
    args [#mmk.named<"x"["B", "N", "64"]>, #mmk.named<"alpha">]
    results [#mmk.named<"y"["B", "N", "64"]>, #mmk.named<"z"["B", "N", "64"]>] {
// CHECK:       ^bb0(%[[X:x]]: tensor<?x?x64xf32>, %{{alpha}}: f32):
^bb0(%x: tensor<?x?x64xf32>, %alpha: f32):
  // CHECK-NEXT:  mmk.dim "B"
  %b = mmk.dim "B"
  // CHECK-NEXT:  mmk.return %[[X]], %[[X]] : tensor<?x?x64xf32>, tensor<?x?x64xf32>
  mmk.return %x, %x : tensor<?x?x64xf32>, tensor<?x?x64xf32>
}

// The schedule beside the body: alternatives as numbers and as words, and a rule over them. The
// variant's name follows both.
// CHECK-LABEL: mmk.kernel @schedule
mmk.kernel @schedule dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"y"["N"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
// CHECK: } schedule {
} schedule {
  // CHECK-NEXT: mmk.choice "tile.N" = [512, 1024]
  mmk.choice "tile.N" = [512, 1024]
  // CHECK-NEXT: mmk.choice "order" = ["rows", "swizzle(4)"]
  mmk.choice "order" = ["rows", "swizzle(4)"]
  // CHECK-NEXT: mmk.require "tile.N <= 2048" {
  mmk.require "tile.N <= 2048" {
    // CHECK-NEXT: %[[CHOSEN:.*]] = mmk.chosen "tile.N"
    %n = mmk.chosen "tile.N"
    %limit = arith.constant 2048 : index
    // CHECK:      %[[OK:.*]] = arith.cmpi sle, %[[CHOSEN]],
    %ok = arith.cmpi sle, %n, %limit : index
    // CHECK-NEXT: mmk.yield %[[OK]] : i1
    mmk.yield %ok : i1
  }
// CHECK: } attributes {variant = "tile=512,order=rows"}
} attributes {variant = "tile=512,order=rows"}

// A fusion group of several results; its argument is
// named after what it is.
// CHECK-LABEL: mmk.kernel @groups
mmk.kernel @groups dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"y"["N"]>] {
^bb0(%x: tensor<?xf32>):
  // CHECK:      %[[NEST:.*]]:2 = mmk.fusion_group {
  // CHECK-NEXT: ^bb0(%block: index):
  // CHECK-NEXT:   mmk.yield %{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?xf32>
  // CHECK-NEXT: } -> tensor<?xf32>, tensor<?xf32>
  %y:2 = mmk.fusion_group {
  ^bb0(%core: index):
    mmk.yield %x, %x : tensor<?xf32>, tensor<?xf32>
  } -> tensor<?xf32>, tensor<?xf32>
  // CHECK: mmk.return %[[NEST]]#1
  mmk.return %y#1 : tensor<?xf32>
}

// The mapping of tiles to cores, in each order. Results of tile_coords are named.
// CHECK-LABEL: mmk.kernel @mappings
mmk.kernel @mappings dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"y"["N"]>] {
^bb0(%x: tensor<?xf32>):
  // CHECK: mmk.fusion_group tile [8, 512] {
  %y = mmk.fusion_group tile [8, 512] {
  ^bb0(%block: index):
    %one = arith.constant 1 : index
    %n = mmk.dim "N"
    // CHECK:      %[[SHARE:.*]] = mmk.tile_count %block of %{{.*}} x %[[N:.*]] x %{{.*}} by <rows, width = 1, cores = 20, grid = 0 x 0>
    %share = mmk.tile_count %block of %one x %n x %one by #mmk.mapping<rows, width = 1, cores = 20, grid = 0 x 0>
    // CHECK-NEXT: %batch, %row, %column = mmk.tile_coords %[[SHARE]] on %block of %{{.*}} x %[[N]] x %{{.*}} by <columns, width = 1, cores = 20, grid = 4 x 5>
    %b, %r, %c = mmk.tile_coords %share on %block of %one x %n x %one by #mmk.mapping<columns, width = 1, cores = 20, grid = 4 x 5>
    // CHECK-NEXT: mmk.tile_count {{.*}} by <zigzag, width = 1, cores = 8, grid = 0 x 0>
    %zigzag = mmk.tile_count %block of %one x %n x %one by #mmk.mapping<zigzag, width = 1, cores = 8, grid = 0 x 0>
    // CHECK-NEXT: mmk.tile_count {{.*}} by <swizzle, width = 4, cores = 8, grid = 0 x 0>
    %swizzle = mmk.tile_count %block of %one x %n x %one by #mmk.mapping<swizzle, width = 4, cores = 8, grid = 0 x 0>
    // CHECK-NEXT: mmk.tile_count {{.*}} by <rows, width = 1, cores = 20, grid = 2 x 1 x 10>
    %parts = mmk.tile_count %n of %n x %one x %one by #mmk.mapping<rows, width = 1, cores = 20, grid = 2 x 1 x 10>
    mmk.yield %x : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}

// Generated tensors.
// CHECK-LABEL: mmk.kernel @generated
mmk.kernel @generated dims ["M", "N"]
    args [#mmk.named<"x"["M"]>, #mmk.named<"seed">] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?xf32>, %seed: i32):
  %n = mmk.dim "N"
  %zero = arith.constant 0.0 : f32
  // CHECK: mmk.positions "N" : tensor<?xi32>
  %j = mmk.positions "N" : tensor<?xi32>
  // CHECK: mmk.random ["M", "N"] of %seed : tensor<?x?xf32>
  %u = mmk.random ["M", "N"] of %seed : tensor<?x?xf32>
  // CHECK: mmk.window %x at #{{[a-z0-9]*}}(%{{.*}}) ["M", "N"] : tensor<?xf32> -> tensor<?x?xf32>
  %v = mmk.window %x at affine_map<(i, j)[n] -> (i + n - j)> (%n) ["M", "N"]
    : tensor<?xf32> -> tensor<?x?xf32>
  // CHECK: mmk.window %x at #{{.*}} ["M"] pad %{{.*}} : f32 : tensor<?xf32> -> tensor<?xf32>
  %w = mmk.window %x at affine_map<(i) -> (i - 1)> ["M"] pad %zero : f32
    : tensor<?xf32> -> tensor<?xf32>
  mmk.return %w : tensor<?xf32>
}
