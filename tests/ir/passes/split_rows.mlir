// Divided rows: their parts in one row group, the combination of their results in the next.
// RUN: mmk-opt %s --mmk-apply-variant=machine=ascend910b3 --mmk-fuse-epilogue --mmk-split-rows --cse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#vector = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>

// A part is a quarter of N in whole tiles of 64, from the end on empty. Of the combination are the sum of
// the parts in their order, and the root, which has an element for each row.
// CHECK-LABEL: mmk.kernel @root
// CHECK:         %[[PARTS:.*]] = mmk.fusion_group over ["M", "N"] reduce [1] {
// CHECK:           %[[M:.*]] = mmk.dim "M"
// CHECK:           %[[N:.*]] = mmk.dim "N"
// CHECK:           %[[FOUR:.*]] = mmk.dim "4"
// CHECK:           %[[EMPTY:.*]] = tensor.empty(%[[FOUR]], %[[M]])
// CHECK:           %[[ALL:.*]] = scf.forall (%[[P:.*]]) in (4) shared_outs(%[[OUT:.*]] = %[[EMPTY]])
// CHECK:             %[[SHARE:.*]] = arith.ceildivsi %[[N]], %c4
// CHECK:             %[[TILES:.*]] = arith.ceildivsi %[[SHARE]], %c64
// CHECK:             %[[LENGTH:.*]] = arith.muli %[[TILES]], %c64
// CHECK:             %[[AT:.*]] = arith.muli %[[P]], %[[LENGTH]]
// CHECK:             %[[FIRST:.*]] = arith.minsi %[[AT]], %[[N]]
// CHECK:             %[[REST:.*]] = arith.subi %[[N]], %[[FIRST]]
// CHECK:             %[[OWN:.*]] = arith.minsi %[[REST]], %[[LENGTH]]
// CHECK:             %[[X:.*]] = tensor.extract_slice %{{.*}}[0, %[[FIRST]]] [%[[M]], %[[OWN]]] [1, 1]
// CHECK:             %[[SUM:.*]] = mmk.rows %[[X]] along [array<i64: 0, 1>] to [array<i64: 0>] parts [1, 4] {
// CHECK:               mmk.row_reduce add
// CHECK:             scf.forall.in_parallel {
// CHECK-NEXT:          tensor.parallel_insert_slice %[[SUM]] into %[[OUT]][%[[P]], 0] [1, %[[M]]] [1, 1]
// CHECK:           mmk.yield %[[ALL]]
// CHECK:         mmk.fusion_group over ["4", "M"] reduce [0] {
// CHECK:           %[[ROOTS:.*]] = mmk.rows %[[PARTS]] along [array<i64: 0, 1>] to [array<i64: 1>] combines {
// CHECK-NEXT:      ^bb0(%[[PART:.*]]: f32):
// CHECK-NEXT:        %[[TOTAL:.*]] = mmk.row_reduce add %[[PART]]
// CHECK-NEXT:        %[[ROOT:.*]] = math.sqrt %[[TOTAL]]
// CHECK-NEXT:        mmk.row_elements %[[ROOT]]
// CHECK:           mmk.yield %[[ROOTS]]
mmk.kernel @root dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?x?xf32>):
  %0 = mmk.dim "M"
  %cst = arith.constant 0.000000e+00 : f32
  %1 = tensor.empty(%0) : tensor<?xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?xf32>) -> tensor<?xf32>
  %3 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%2 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = arith.addf %out, %in : f32
    linalg.yield %6 : f32
  } -> tensor<?xf32>
  %4 = tensor.empty(%0) : tensor<?xf32>
  %5 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]} ins(%3 : tensor<?xf32>) outs(%4 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = math.sqrt %in : f32
    linalg.yield %6 : f32
  } -> tensor<?xf32>
  mmk.return %5 : tensor<?xf32>
} schedule {
  mmk.choice "grid.N" = [4]
  mmk.choice "tile.M" = [2]
  mmk.choice "tile.N" = [64]
  mmk.choice "cores" = [20]
  mmk.choice "buffers.out" = [2]
  mmk.choice "buffers.ub" = [2]
  mmk.choice "order" = ["rows"]
}

// What the elements of a row read of it, here the root, is computed for each row, in the combination.
// CHECK-LABEL: mmk.kernel @scaled
// CHECK:         mmk.fusion_group over ["M", "N"] reduce [1] {
// CHECK:           mmk.rows {{.*}} parts [1, 4] {
// CHECK-NOT:         math.sqrt
// CHECK:         %[[ROOTS:.*]] = mmk.fusion_group over ["4", "M"] reduce [0] {
// CHECK:           mmk.rows {{.*}} combines {
// CHECK:             math.sqrt
// CHECK:         mmk.fusion_group {
// CHECK:           linalg.generic {{.*}} ins(%x, %[[ROOTS]]
// CHECK-NOT:         math.sqrt
// CHECK:             arith.divf
mmk.kernel @scaled dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %0 = mmk.dim "M"
  %n = mmk.dim "N"
  %cst = arith.constant 0.000000e+00 : f32
  %1 = tensor.empty(%0) : tensor<?xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?xf32>) -> tensor<?xf32>
  %3 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%2 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %8 = arith.addf %out, %in : f32
    linalg.yield %8 : f32
  } -> tensor<?xf32>
  %4 = tensor.empty(%0) : tensor<?xf32>
  %5 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]} ins(%3 : tensor<?xf32>) outs(%4 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %8 = math.sqrt %in : f32
    linalg.yield %8 : f32
  } -> tensor<?xf32>
  %6 = tensor.empty(%0, %n) : tensor<?x?xf32>
  %7 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %5 : tensor<?x?xf32>, tensor<?xf32>) outs(%6 : tensor<?x?xf32>) {
  ^bb0(%in: f32, %root: f32, %out: f32):
    %8 = arith.divf %in, %root : f32
    linalg.yield %8 : f32
  } -> tensor<?x?xf32>
  mmk.return %7 : tensor<?x?xf32>
} schedule {
  mmk.choice "grid.N" = [4]
  mmk.choice "tile.M" = [2]
  mmk.choice "tile.N" = [64]
  mmk.choice "cores" = [20]
  mmk.choice "buffers.out" = [2]
  mmk.choice "buffers.ub" = [2]
  mmk.choice "order" = ["rows"]
}

// With `online` a part has a maximum and a sum of its own, and the sums go to the maximum of all. One of
// -inf counts as 0. The result is a group of its own, which all cores share.
// CHECK-LABEL: mmk.kernel @shares
// CHECK:         %[[PARTS:.*]]:2 = mmk.fusion_group over ["M", "N"] reduce [1] {
// CHECK:             mmk.rows
// CHECK-NEXT:        ^bb0(%[[IN:.*]]: f32):
// CHECK-NEXT:          %[[OWN:.*]] = mmk.row_reduce max %[[IN]]
// CHECK:               %[[NONE:.*]] = arith.cmpf oeq, %[[OWN]], %{{.*}} : f32
// CHECK-NEXT:          %[[SAFE:.*]] = arith.select %[[NONE]], %{{.*}}, %[[OWN]] : f32
// CHECK-NEXT:          %[[DIFF:.*]] = arith.subf %[[IN]], %[[SAFE]] : f32
// CHECK-NEXT:          %[[EXP:.*]] = math.exp %[[DIFF]] : f32
// CHECK-NEXT:          %[[OWNSUM:.*]] = mmk.row_reduce add %[[EXP]]
// CHECK-NEXT:          mmk.row_elements %[[OWN]], %[[OWNSUM]]
// CHECK:         %[[ROWS:.*]]:2 = mmk.fusion_group over ["4", "M"] reduce [0] {
// CHECK:           mmk.rows %[[PARTS]]#0, %[[PARTS]]#1 along
// CHECK-NEXT:      ^bb0(%[[FROM:.*]]: f32, %[[PART:.*]]: f32):
// CHECK-NEXT:        %[[ALL:.*]] = mmk.row_reduce max %[[FROM]]
// CHECK:             %[[RATIO:.*]] = math.exp
// CHECK-NEXT:        %[[SCALED:.*]] = arith.mulf %[[PART]], %[[RATIO]] : f32
// CHECK-NEXT:        %[[ISEMPTY:.*]] = arith.cmpf oeq, %[[PART]], %[[ZERO:.*]] : f32
// CHECK-NEXT:        %[[TERM:.*]] = arith.select %[[ISEMPTY]], %[[ZERO]], %[[SCALED]] : f32
// CHECK-NEXT:        %[[SUM:.*]] = mmk.row_reduce add %[[TERM]]
// CHECK:             %[[LAST:.*]] = math.exp
// CHECK-NEXT:        %[[RESULT:.*]] = arith.mulf %[[SUM]], %[[LAST]] : f32
// CHECK-NEXT:        mmk.row_elements %[[ALL]], %[[RESULT]]
// CHECK:         mmk.fusion_group {
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %[[ROWS]]#0, %[[ROWS]]#1 :
mmk.kernel @shares dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %0 = mmk.dim "N"
  %1 = mmk.dim "M"
  %cst = arith.constant 0xFF800000 : f32
  %2 = tensor.empty(%1) : tensor<?xf32>
  %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<?xf32>) -> tensor<?xf32>
  %4 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%3 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.maximumf %out, %in : f32
    linalg.yield %14 : f32
  } -> tensor<?xf32>
  %5 = tensor.empty(%1, %0) : tensor<?x?xf32>
  %6 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %4 : tensor<?x?xf32>, tensor<?xf32>) outs(%5 : tensor<?x?xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %14 = arith.subf %in, %in_1 : f32
    linalg.yield %14 : f32
  } -> tensor<?x?xf32>
  %7 = tensor.empty(%1, %0) : tensor<?x?xf32>
  %8 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<?x?xf32>) outs(%7 : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = math.exp %in : f32
    linalg.yield %14 : f32
  } -> tensor<?x?xf32>
  %cst_0 = arith.constant 0.000000e+00 : f32
  %9 = tensor.empty(%1) : tensor<?xf32>
  %10 = linalg.fill ins(%cst_0 : f32) outs(%9 : tensor<?xf32>) -> tensor<?xf32>
  %11 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<?x?xf32>) outs(%10 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.addf %out, %in : f32
    linalg.yield %14 : f32
  } -> tensor<?xf32>
  %12 = tensor.empty(%1, %0) : tensor<?x?xf32>
  %13 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%8, %11 : tensor<?x?xf32>, tensor<?xf32>) outs(%12 : tensor<?x?xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %14 = arith.divf %in, %in_1 : f32
    linalg.yield %14 : f32
  } -> tensor<?x?xf32>
  mmk.return %13 : tensor<?x?xf32>
} schedule {
  mmk.choice "grid.N" = [4]
  mmk.choice "tile.M" = [2]
  mmk.choice "tile.N" = [64]
  mmk.choice "reduce" = ["online"]
  mmk.choice "cores" = [20]
  mmk.choice "buffers.out" = [2]
  mmk.choice "buffers.ub" = [2]
  mmk.choice "order" = ["rows"]
}

// The first of the parts with the best element has the position.
// CHECK-LABEL: mmk.kernel @best
// CHECK:         %[[PARTS:.*]]:2 = mmk.fusion_group over ["N"] reduce [0] {
// CHECK:         mmk.fusion_group over ["3"] reduce [0] {
// CHECK:           %[[NUMBERS:.*]] = mmk.positions "3"
// CHECK:           mmk.rows %[[PARTS]]#0, %[[PARTS]]#1, %[[NUMBERS]] along
// CHECK-NEXT:      ^bb0(%[[BEST:.*]]: f32, %[[AT:.*]]: i32, %[[NUMBER:.*]]: i32):
// CHECK-NEXT:        %{{.*}}, %[[WHICH:.*]] = mmk.row_reduce argmax %[[BEST]]
// CHECK:             arith.cmpf oeq
// CHECK:             %[[TERM:.*]] = arith.select %{{.*}}, %[[AT]],
// CHECK-NEXT:        mmk.row_reduce add %[[TERM]]
mmk.kernel @best dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"y"["1"]>] {
^bb0(%x: tensor<?xf32>):
  %0 = mmk.dim "1"
  %cst = arith.constant 0xFF800000 : f32
  %1 = tensor.empty() : tensor<f32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<f32>) -> tensor<f32>
  %c0_i32 = arith.constant 0 : i32
  %3 = tensor.empty() : tensor<i32>
  %4 = linalg.fill ins(%c0_i32 : i32) outs(%3 : tensor<i32>) -> tensor<i32>
  %5:2 = linalg.generic {indexing_maps = [#vector, #all, #all], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%2, %4 : tensor<f32>, tensor<i32>) {
  ^bb0(%in: f32, %out: f32, %out_0: i32):
    %8 = arith.cmpf ugt, %in, %out : f32
    %9 = arith.cmpf ord, %out, %out : f32
    %10 = arith.andi %8, %9 : i1
    %11 = linalg.index 0 : index
    %12 = arith.index_cast %11 : index to i32
    %13 = arith.select %10, %in, %out : f32
    %14 = arith.select %10, %12, %out_0 : i32
    linalg.yield %13, %14 : f32, i32
  } -> (tensor<f32>, tensor<i32>)
  %6 = tensor.empty(%0) : tensor<?xi32>
  %7 = linalg.generic {indexing_maps = [#all, #vector], iterator_types = ["parallel"]} ins(%5#1 : tensor<i32>) outs(%6 : tensor<?xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<?xi32>
  mmk.return %7 : tensor<?xi32>
} schedule {
  mmk.choice "grid.N" = [3]
  mmk.choice "tile.N" = [64]
  mmk.choice "cores" = [20]
  mmk.choice "buffers.out" = [2]
  mmk.choice "buffers.ub" = [2]
  mmk.choice "order" = ["rows"]
}
