// Two products of a fusion group: each has its operands in L1, its accumulator and its loops; their
// base tiles rotate over the same slots of L0. The vector cores take both.
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --aicore-assign-memories --aicore-insert-transfers --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 2, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

module attributes {aicore.machine = #machine} {

// CHECK-LABEL: aicore.kernel @siblings
// CHECK:         %a_l1 = aicore.alloc "a" of "l1" copies 1 : memref<32x32xf16
// CHECK:         %b_l1 = aicore.alloc "b" of "l1" copies 1 : memref<32x48xf16
// CHECK:         %a_l0a = aicore.alloc "a" of "l0" copies 1 : memref<32x16xf16
// CHECK:         %b_l0b = aicore.alloc "b" of "l0" copies 1 : memref<16x48xf16
// CHECK:         %acc_l0c = aicore.alloc "acc" of "acc" copies 1 : memref<32x48xf32
// CHECK:         %c_l1 = aicore.alloc "c" of "l1" copies 1 : memref<32x48xf16
// CHECK:         %d_l1 = aicore.alloc "d" of "l1" copies 1 : memref<48x48xf16
// CHECK:         %acc1_l0c = aicore.alloc "acc1" of "acc" copies 1 : memref<32x48xf32
// CHECK-NOT:     l0a = aicore.alloc
// CHECK:         scf.for [[TILE:%.*]] = %c0 to
// CHECK:           [[STAGES_K:%.*]] = arith.ceildivsi %K, %c32
// CHECK:           [[STEPS_K:%.*]] = arith.muli [[STAGES_K]], %c2
// CHECK:           [[STAGES_L:%.*]] = arith.ceildivsi %L, %c48
// CHECK:           [[STEPS_L:%.*]] = arith.muli [[STAGES_L]], %c3
// Base tiles of the other product, in the tiles before this one:
// CHECK:           [[OTHERS:%.*]] = arith.muli [[TILE]], [[STEPS_L]]
// CHECK:           scf.for {{.*}} to %K step %c32
// CHECK:             aicore.load %a{{.*}} -> %a_l1
// CHECK:             aicore.load %b{{.*}} -> %b_l1
// CHECK:             scf.for
// CHECK:               [[NUMBER:%.*]] = arith.addi {{.*}}, [[OTHERS]]
// CHECK:               aicore.slot [[NUMBER]] of %a_l0a
// CHECK:               aicore.mmad {{.*}} -> %acc_l0c
// And those of the first product of this tile:
// CHECK:           [[EARLIER:%.*]] = arith.muli [[TILE]], [[STEPS_K]]
// CHECK:           [[OTHERS_L:%.*]] = arith.addi [[EARLIER]], [[STEPS_K]]
// CHECK:           scf.for {{.*}} to %L step %c48
// CHECK:             aicore.load %c{{.*}} -> %c_l1
// CHECK:             aicore.load %d{{.*}} -> %d_l1
// CHECK:             scf.for
// CHECK:               [[NUMBER_L:%.*]] = arith.addi {{.*}}, [[OTHERS_L]]
// CHECK:               aicore.slot [[NUMBER_L]] of %a_l0a
// CHECK:               aicore.mmad {{.*}} -> %acc1_l0c
// CHECK:           aicore.spill %acc_l0c{{.*}} -> %acc_gm
// CHECK:           aicore.spill %acc1_l0c{{.*}} -> %acc1_gm
// CHECK:           aicore.vector_work
// CHECK:             aicore.load %e{{.*}} -> %e_ub
// CHECK:             aicore.fetch %acc_gm{{.*}} -> %acc_ub
// CHECK:             aicore.fetch %acc1_gm{{.*}} -> %acc1_ub
// CHECK:             aicore.vector ins(%acc_ub{{.*}} full, %acc1_ub{{.*}} full, %e_ub{{.*}} row
// CHECK:             aicore.store %out_ub
mmk.kernel @siblings dims ["M", "N", "K", "L"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"c"["M", "L"]>,
          #mmk.named<"d"["L", "N"]>, #mmk.named<"e"["N"]>]
    results [#mmk.named<"y"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>, %d: tensor<?x?xf16>,
     %e: tensor<?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%start : tensor<?x?xf32>) -> tensor<?x?xf32>
    %q = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%c, %d : tensor<?x?xf16>, tensor<?x?xf16>) outs(%start : tensor<?x?xf32>) -> tensor<?x?xf32>
    %both = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%p, %q, %e : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%pe: f32, %qe: f32, %ee: f32, %out: f32):
      %sum = arith.addf %pe, %ee : f32
      %positive = arith.maximumf %sum, %zero : f32
      %product = arith.mulf %positive, %qe : f32
      linalg.yield %product : f32
    } -> tensor<?x?xf32>
    mmk.yield %both : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "cores" = [2]
  mmk.choice "tile.M" = [32]
  mmk.choice "tile.N" = [48]
  mmk.choice "tile.K" = [16]
  mmk.choice "tile.L" = [16]
  mmk.choice "stage.K" = [32]
  mmk.choice "stage.L" = [48]
  mmk.choice "buffers.l1" = [2]
  mmk.choice "buffers.l0" = [2]
  mmk.choice "buffers.acc" = [2]
  mmk.choice "buffers.out" = [2]
  mmk.choice "buffers.ub" = [2]
}
}
