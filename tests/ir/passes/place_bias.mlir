// `bias = table`: a product starts from the row that is added to it.
// RUN: mmk-opt %s --mmk-fuse-epilogue | FileCheck %s --check-prefix FUSED
// RUN: mmk-opt %s --mmk-fuse-epilogue --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse | FileCheck %s
// RUN: mmk-opt %s --mmk-fuse-epilogue --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse --aicore-double-buffer --canonicalize --cse \
// RUN:   --aicore-plan-memory --aicore-insert-sync --aicore-verify-sync \
// RUN:   | FileCheck %s --check-prefix SYNC

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

module attributes {aicore.machine = #machine} {

// The sum is removed, and so is all work of the vector unit here.
// FUSED-LABEL: mmk.kernel @whole
// FUSED:         mmk.fusion_group
// FUSED-NOT:       linalg.fill
// FUSED:           %[[EMPTY:.*]] = tensor.empty
// FUSED:           %[[START:.*]] = linalg.broadcast ins(%bias : tensor<?xf32>) outs(%[[EMPTY]] : tensor<?x?xf32>) dimensions = [0]
// FUSED-NEXT:      %[[ACC:.*]] = linalg.contract {{.*}} outs(%[[START]] : tensor<?x?xf32>)
// FUSED-NEXT:      mmk.yield %[[ACC]]

// The row of a tile goes through L1. The first stage is separate from the others, since the table
// is free again when its products are done.
// CHECK-LABEL: aicore.kernel @whole
// CHECK:         %[[IN_L1:bias_l1]] = aicore.alloc "bias" of "l1" copies 1 : memref<1x32xf32, #aicore.space<l1>>
// CHECK:         %[[TABLE:bias_bt]] = aicore.alloc "bias" of "bt" copies 1 : memref<1x32xf32, #aicore.space<bt>>
// CHECK:         scf.for %[[TILE:.*]] = %c0 to
// CHECK:           %[[TN:.*]] = arith.minsi %{{.*}}, %c32
// CHECK:           %[[L:.*]] = aicore.slot %[[TILE]] of %[[IN_L1]]
// CHECK-NEXT:      aicore.load %bias[%{{.*}}] along [-1, 0] size(%c1, %[[TN]]) -> %[[IN_L1]][%[[L]]] pad 1
// CHECK-NEXT:      %[[T:.*]] = aicore.slot %[[TILE]] of %[[TABLE]]
// CHECK-NEXT:      aicore.load_l0 %[[IN_L1]][%[[L]]] at(%c0, %c0) size(%c1, %[[TN]]) -> %[[TABLE]][%[[T]]]
// CHECK:           scf.for %[[KS:.*]] = %c0 to %K step %c48
// CHECK:             %[[FIRST:.*]] = arith.cmpi eq, %[[KS]], %c0
// CHECK-NEXT:        scf.if %[[FIRST]] {
// CHECK-NEXT:          scf.for
// CHECK:                 aicore.mmad {{.*}} first(%{{.*}}) bias(%[[TABLE]][%[[T]]] : memref<1x32xf32, #aicore.space<bt>>)
// CHECK:               aicore.release %[[TABLE]][%[[T]]]
// CHECK-NEXT:        } else {
// CHECK-NOT:           bias(
// CHECK:             }
// CHECK:           aicore.fixpipe

// SYNC-LABEL: aicore.kernel @whole
// The previous tile must have started from the table, no more.
// SYNC:           aicore.wait_flag [cube -> mte1] [[FREE:[0-9]+]] +
// SYNC-NEXT:      aicore.load_l0 %bias_l1
// The flag of the pipe's next transfer to L0 also orders this one.
// SYNC-NOT:       aicore.set_flag [mte1 -> cube]
// SYNC:           scf.for
// SYNC:             scf.if
// SYNC:               aicore.mmad {{.*}} bias(
// SYNC:               aicore.set_flag [cube -> mte1] [[FREE]] +
// SYNC-NEXT:        } else {
// SYNC-NOT:         aicore.release
mmk.kernel @whole dims ["M", "K", "N"]
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
}

// Each part starts from its own columns of the row.
// CHECK-LABEL: aicore.kernel @parts
// CHECK:             scf.if
// CHECK:               aicore.mmad {{.*}} part 0 {{.*}} bias(%bias_bt[%[[T:.*]]] :
// CHECK:               aicore.mmad {{.*}} part 1 {{.*}} bias(%bias_bt[%[[T]]] :
// CHECK:               aicore.release %bias_bt[%[[T]]]

// SYNC-LABEL: aicore.kernel @parts
// SYNC:         aicore.alloc "bias" of "bt" copies 2
// SYNC-NOT:     aicore.release
mmk.kernel @parts dims ["M", "K", "N"]
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
  mmk.choice "store" = ["overlapped"]
  mmk.choice "buffers.bt" = [2]
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
}
}
