// The row of a bias is filled and used by the first split of a reduction, and by its first stage: each
// of its flags is set as often as it is waited for, also with all that others imply.
// RUN: mmk-opt %s --mmk-fuse-epilogue --mmk-split-reduction --mmk-tile-cores --mmk-tile-base \
// RUN:   --canonicalize --cse %place --canonicalize --cse --aicore-double-buffer --canonicalize --cse \
// RUN:   --aicore-select-vector --aicore-plan-memory --aicore-insert-sync=keep-implied \
// RUN:   --aicore-verify-sync | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

module attributes {aicore.machine = #machine} {

// CHECK-LABEL: aicore.kernel @split
// CHECK:         scf.if %[[OF_FIRST_SPLIT:.*]] {
// CHECK:           aicore.load_l0 %bias_l1
// CHECK-NEXT:      aicore.set_flag [mte1 -> cube] [[ROW:[0-9]+]] +
// CHECK:         scf.for
// CHECK-NOT:       aicore.wait_flag [mte1 -> cube] [[ROW]] +
// CHECK:           scf.if
// CHECK-NEXT:        aicore.wait_flag [mte1 -> cube] [[ROW]] +
// CHECK:             aicore.mmad {{.*}} bias(
// CHECK:           } else {
// CHECK-NOT:         aicore.wait_flag [mte1 -> cube] [[ROW]] +
// CHECK:         aicore.fixpipe
mmk.kernel @split dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%bias, %acc : tensor<?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%r: f32, %e: f32, %out: f32):
    %s = arith.addf %r, %e : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  mmk.return %sum : tensor<?x?xf32>
} schedule {
  mmk.choice "bias" = ["table"]
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
  mmk.choice "grid.K" = [2]
}

}
