// `store = overlapped` where cube and vector unit are one core: a part of the accumulator is
// drained to UB, computed and stored during the product of the other part, or of the next tile.
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse | FileCheck %s
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse --aicore-double-buffer --canonicalize --cse \
// RUN:   --aicore-plan-memory --aicore-insert-sync --aicore-verify-sync \
// RUN:   | FileCheck %s --check-prefix SYNC

#machine = #aicore.machine<"tiny", coupled, cores = 4, vector_cores = 1, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

module attributes {aicore.machine = #machine} {

// CHECK-LABEL: aicore.kernel @coupled
// CHECK:         %[[ACC:acc_l0c]] = aicore.alloc "acc" of "acc" copies 1 parts 2 : memref<64x32xf32, #aicore.space<l0c>>
// CHECK:         %[[IN:acc_ub]] = aicore.alloc "acc" of "ub" copies 1 : memref<64x16xf32, #aicore.space<ub>>
// CHECK:         %[[OUT:out_ub]] = aicore.alloc "out" of "out" copies 1 : memref<64x16xf32, #aicore.space<ub>>
// CHECK:         scf.for %[[TILE:.*]] = %c0 to
// CHECK:           %[[SLOT:.*]] = aicore.slot %[[TILE]] of %[[ACC]]
// CHECK:           aicore.producer_acquire %[[ACC]][%[[SLOT]]] part 0
// CHECK-NEXT:      aicore.producer_acquire %[[ACC]][%[[SLOT]]] part 1
// CHECK:           aicore.producer_commit %[[ACC]][%[[SLOT]]] part 0
// CHECK:           aicore.producer_commit %[[ACC]][%[[SLOT]]] part 1
// CHECK:           aicore.drain %[[ACC]][%[[SLOT]]] part 0 {{.*}} -> %[[IN]]
// CHECK:           aicore.vector ins(%[[IN]]
// CHECK:           aicore.store %[[OUT]]
// CHECK:           aicore.drain %[[ACC]][%[[SLOT]]] part 1 {{.*}} -> %[[IN]]
// CHECK:           aicore.vector ins(%[[IN]]
// CHECK:           aicore.store %[[OUT]]

// Each part is signalled to the vector unit when its own products are done. The cube knows through
// MTE2 that a part is drained: the row of bias is free again, and the loads of a later tile follow
// that.
// SYNC-LABEL: aicore.kernel @coupled
// SYNC:          aicore.alloc "acc" of "acc" copies 2 parts 2
// SYNC:          aicore.alloc "out" of "out" copies 2
// SYNC:          scf.for %[[TILE:.*]] = %c0 to
// SYNC:            %[[SLOT:.*]] = aicore.slot %[[TILE]] of %acc_l0c
// SYNC:              aicore.mmad {{.*}} part 0
// SYNC:              aicore.set_flag [cube -> vector] [[LEFT:[0-9]+]] + %[[SLOT]]
// SYNC:              aicore.mmad {{.*}} part 1
// SYNC:              aicore.set_flag [cube -> vector] [[RIGHT:[0-9]+]] + %[[SLOT]]
// SYNC:            aicore.wait_flag [cube -> vector] [[LEFT]] + %[[SLOT]]
// SYNC:            aicore.drain %acc_l0c[%[[SLOT]]] part 0
// SYNC:            aicore.set_flag [vector -> mte3]
// SYNC:            aicore.store
// SYNC:            aicore.wait_flag [cube -> vector] [[RIGHT]] + %[[SLOT]]
// SYNC:            aicore.drain %acc_l0c[%[[SLOT]]] part 1
mmk.kernel @coupled dims ["M", "K", "N"]
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
  mmk.choice "store" = ["overlapped"]
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
  mmk.choice "cores" = [4]
  mmk.choice "buffers.ub" = [2]
  mmk.choice "buffers.out" = [2]
  mmk.choice "buffers.acc" = [2]
  mmk.choice "buffers.l1" = [2]
}
}
