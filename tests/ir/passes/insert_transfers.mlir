// Transfers between the memories of placed values. The cube's part is tested by place_*.mlir; the
// vector work on a tile is for any window of it.
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   --aicore-assign-memories --aicore-insert-transfers --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

module attributes {aicore.machine = #machine} {

// CHECK-LABEL: aicore.kernel @epilogue
// CHECK:         %[[I0:.*]] = arith.muli %{{.*}}, %c64
// CHECK:         %[[TM:.*]] = arith.minsi %{{.*}}, %c64
// CHECK:         %[[J0:.*]] = arith.muli %{{.*}}, %c32
// CHECK:         %[[TN:.*]] = arith.minsi %{{.*}}, %c32
// CHECK:         aicore.load %a[
// CHECK:         aicore.load %b[
// CHECK:         aicore.load_l0 %a_l1
// CHECK:         aicore.load_l0 %b_l1
// CHECK:         aicore.mmad
// CHECK:         %[[W:.*]] = aicore.slot %[[TILE:.*]] of %acc_gm
// CHECK-NEXT:    aicore.spill %acc_l0c[%{{.*}}] size(%[[TM]], %[[TN]]) -> %acc_gm[%[[W]]]
// CHECK-NEXT:    aicore.vector_work %[[TILE]] size(%[[TM]], %[[TN]]) at(%c0) steps 1 height 32 {
// CHECK-NEXT:    ^bb0(%[[ROW:.*]]: index, %[[ROWS:.*]]: index, %[[COLUMN:.*]]: index, %[[COLUMNS:.*]]: index, %[[STEP:.*]]: index):
// One slot of the bias for all windows of a tile.
// CHECK-NEXT:      %[[BIAS:.*]] = aicore.slot %[[TILE]] of %bias_ub
// CHECK-NEXT:      %[[J:.*]] = arith.addi %[[J0]], %[[COLUMN]]
// CHECK-NEXT:      aicore.load %bias[%[[J]]] along [-1, 0] size(%c1, %[[COLUMNS]]) -> %bias_ub[%[[BIAS]]] pad 1
// CHECK-NEXT:      %[[ACC:.*]] = aicore.slot %[[STEP]] of %acc_ub
// CHECK-NEXT:      aicore.fetch %acc_gm[%[[W]]] at(%[[ROW]]) size(%[[ROWS]], %[[COLUMNS]]) -> %acc_ub[%[[ACC]]]
// CHECK-NEXT:      %[[OUT:.*]] = aicore.slot %[[STEP]] of %out_ub
// CHECK-NEXT:      aicore.vector ins(%acc_ub[%[[ACC]]] full, %bias_ub[%[[BIAS]]] row : {{.*}}) outs(%out_ub[%[[OUT]]] : {{.*}}) size(%[[ROWS]], %[[COLUMNS]]) {
// CHECK:           }
// CHECK-NEXT:      %[[I:.*]] = arith.addi %[[I0]], %[[ROW]]
// CHECK-NEXT:      aicore.store %out_ub[%[[OUT]]] -> %c[%[[I]], %[[J]]] along [0, 1] size(%[[ROWS]], %[[COLUMNS]])
// CHECK-NEXT:    }
mmk.kernel @epilogue dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    %empty1 = tensor.empty(%m, %n) : tensor<?x?xf32>
    %sum = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty1 : tensor<?x?xf32>) {
    ^bb0(%e: f32, %f: f32, %out: f32):
      %s = arith.addf %e, %f : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    mmk.yield %sum : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
  mmk.choice "cores" = [4]
  mmk.choice "buffers.ub" = [2]
  mmk.choice "buffers.out" = [2]
  mmk.choice "buffers.l1" = [2]
}

}
