// Products on a split chip, whose cube core and vector cores meet only in global memory. The fusion
// groups are tiled by earlier passes.
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

module attributes {aicore.machine = #machine} {

// A plain product, in full. Buffers have one copy; transfers are right before their use. The slots
// are counted over all tiles of the core, so that copies also rotate over tiles.
// CHECK-LABEL: aicore.kernel @plain dims ["M", "K", "N"]
// CHECK-SAME:    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>]
// The requested copies are left for aicore-double-buffer.
// CHECK-SAME:    cores 4 buffers {l1 = 2 : i64, out = 2 : i64, ub = 2 : i64}
// CHECK-NEXT:  ^bb0(%M: index, %K: index, %N: index, %a: memref<?x?xf16, #aicore.space<gm>>, %b: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
// CHECK:       aicore.phase {
// CHECK-NEXT:  ^bb0(%[[BLOCK:.*]]: index):
// A stage of A in L1, a base tile of it in L0A: 64 x 48 and 64 x 16.
// CHECK-NEXT:    %[[A_L1:a_l1]] = aicore.alloc "a" of "l1" copies 1 : memref<64x48xf16, #aicore.space<l1>>
// CHECK-NEXT:    %[[B_L1:b_l1]] = aicore.alloc "b" of "l1" copies 1 : memref<48x32xf16, #aicore.space<l1>>
// CHECK-NEXT:    %[[A_L0:a_l0a]] = aicore.alloc "a" of "l0" copies 1 : memref<64x16xf16, #aicore.space<l0a>>
// CHECK-NEXT:    %[[B_L0:b_l0b]] = aicore.alloc "b" of "l0" copies 1 : memref<16x32xf16, #aicore.space<l0b>>
// CHECK-NEXT:    %[[ACC:acc_l0c]] = aicore.alloc "acc" of "acc" copies 1 : memref<64x32xf32, #aicore.space<l0c>>
// CHECK:         scf.for %[[J:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK:           %[[I0:.*]] = arith.muli %{{.*}}, %c64
// CHECK:           %[[TM:.*]] = arith.minsi %{{.*}}, %c64
// CHECK:           %[[J0:.*]] = arith.muli %{{.*}}, %c32
// CHECK:           %[[TN:.*]] = arith.minsi %{{.*}}, %c32
// CHECK-NEXT:      %[[ACC_SLOT:.*]] = aicore.slot %[[J]] of %[[ACC]]
// CHECK-NEXT:      %[[STAGES:.*]] = arith.ceildivsi %K, %c48
// CHECK-NEXT:      %[[FIRST_STAGE:.*]] = arith.muli %[[J]], %[[STAGES]]
// CHECK-NEXT:      scf.for %[[KS:.*]] = %c0 to %K step %c48 {
// CHECK:             %[[IN_TILE:.*]] = arith.divsi %[[KS]], %c48
// CHECK:             %[[DEPTH:.*]] = arith.minsi %{{.*}}, %c48
// CHECK-NEXT:        %[[STAGE:.*]] = arith.addi %[[FIRST_STAGE]], %[[IN_TILE]]
// CHECK-NEXT:        %[[A_SLOT:.*]] = aicore.slot %[[STAGE]] of %[[A_L1]]
// CHECK-NEXT:        aicore.load %a[%[[I0]], %[[KS]]] along [0, 1] size(%[[TM]], %[[DEPTH]]) -> %[[A_L1]][%[[A_SLOT]]] pad 16
// CHECK-NEXT:        %[[B_SLOT:.*]] = aicore.slot %[[STAGE]] of %[[B_L1]]
// CHECK-NEXT:        aicore.load %b[%[[KS]], %[[J0]]] along [0, 1] size(%[[DEPTH]], %[[TN]]) -> %[[B_L1]][%[[B_SLOT]]] pad 16
// CHECK-NEXT:        scf.for %[[KB:.*]] = %c0 to %[[DEPTH]] step %c16 {
// CHECK:               %[[STEP:.*]] = arith.minsi %{{.*}}, %c16
// CHECK-NEXT:          %[[IN_STAGE:.*]] = arith.divsi %[[KB]], %c16
// CHECK-NEXT:          %[[BEFORE:.*]] = arith.muli %[[STAGE]], %c3
// CHECK-NEXT:          %[[BASE:.*]] = arith.addi %[[BEFORE]], %[[IN_STAGE]]
// CHECK-NEXT:          %[[A_SLOT0:.*]] = aicore.slot %[[BASE]] of %[[A_L0]]
// CHECK-NEXT:          aicore.load_l0 %[[A_L1]][%[[A_SLOT]]] at(%c0, %[[KB]]) size(%[[TM]], %[[STEP]]) -> %[[A_L0]][%[[A_SLOT0]]]
// CHECK-NEXT:          %[[B_SLOT0:.*]] = aicore.slot %[[BASE]] of %[[B_L0]]
// CHECK-NEXT:          aicore.load_l0 %[[B_L1]][%[[B_SLOT]]] at(%[[KB]], %c0) size(%[[STEP]], %[[TN]]) -> %[[B_L0]][%[[B_SLOT0]]]
// Only the very first step starts from zero.
// CHECK-NEXT:          %[[K0:.*]] = arith.addi %[[KS]], %[[KB]]
// CHECK-NEXT:          %[[FIRST:.*]] = arith.cmpi eq, %[[K0]], %c0
// CHECK-NEXT:          aicore.mmad %[[A_L0]][%[[A_SLOT0]]], %[[B_L0]][%[[B_SLOT0]]] -> %[[ACC]][%[[ACC_SLOT]]] size(%[[TM]], %[[TN]], %[[STEP]]) first(%[[FIRST]])
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// On a split chip the fixpipe takes it to global memory; the vector cores have nothing to do.
// CHECK-NEXT:      aicore.fixpipe %[[ACC]][%[[ACC_SLOT]]] -> %c[%[[I0]], %[[J0]]] along [0, 1] size(%[[TM]], %[[TN]])
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-NEXT:  }
mmk.kernel @plain dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.yield %acc : tensor<?x?xf32>
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

// The fixpipe narrows in its transfer: no vector core, no UB.
// CHECK-LABEL: aicore.kernel @narrowed
// CHECK-NOT:   aicore.vector_cores
// CHECK:       aicore.fixpipe {{.*}} : memref<64x32xf32, #aicore.space<l0c>> -> memref<?x?xf16, #aicore.space<gm>>
// CHECK-NOT:   aicore.vector_cores
mmk.kernel @narrowed dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    %empty1 = tensor.empty(%m, %n) : tensor<?x?xf16>
    %half = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%acc : tensor<?x?xf32>) outs(%empty1 : tensor<?x?xf16>) {
    ^bb0(%e: f32, %out: f16):
      %s = arith.truncf %e : f32 to f16
      linalg.yield %s : f16
    } -> tensor<?x?xf16>
    mmk.yield %half : tensor<?x?xf16>
  } -> tensor<?x?xf16>
  mmk.return %y : tensor<?x?xf16>
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

// An epilogue: the accumulator goes through the block's own memory to its two vector cores. The
// first takes half of the rows, the second the rest, in steps that fit UB.
// CHECK-LABEL: aicore.kernel @epilogue
// CHECK:         %[[ACC_UB:acc_ub]] = aicore.alloc "acc" of "ub" copies 1 : memref<32x32xf32, #aicore.space<ub>>
// CHECK-NEXT:    %[[BIAS:bias_ub]] = aicore.alloc "bias" of "ub" copies 1 : memref<1x32xf32, #aicore.space<ub>>
// CHECK-NEXT:    %[[OUT:out_ub]] = aicore.alloc "out" of "out" copies 1 : memref<32x32xf32, #aicore.space<ub>>
// CHECK-NEXT:    %[[SPILLED:acc_gm]] = aicore.alloc "acc" of "out" copies 1 : memref<64x32xf32, #aicore.space<gm>>
// CHECK:           %[[I0:.*]] = arith.muli %{{.*}}, %c64
// CHECK:           %[[TM:.*]] = arith.minsi %{{.*}}, %c64
// CHECK:           aicore.mmad
// CHECK:           %[[SLOT:.*]] = aicore.slot %[[J:.*]] of %[[SPILLED]]
// CHECK-NEXT:      aicore.spill %acc_l0c[%{{.*}}] size(%[[TM]], %[[TN:.*]]) -> %[[SPILLED]][%[[SLOT]]]
// CHECK-NEXT:      aicore.vector_cores 2 {
// CHECK-NEXT:      ^bb0(%[[V:.*]]: index):
// CHECK-NEXT:        %[[PART:.*]] = arith.ceildivsi %[[TM]], %c2
// CHECK-NEXT:        %[[FIRST:.*]] = arith.muli %[[V]], %[[PART]]
// CHECK-NEXT:        %[[LEFT:.*]] = arith.subi %[[TM]], %[[FIRST]]
// CHECK-NEXT:        %[[LESS:.*]] = arith.minsi %[[PART]], %[[LEFT]]
// With one row in the tile the second core has none: not less.
// CHECK-NEXT:        %[[ROWS:.*]] = arith.maxsi %[[LESS]], %c0
// The bias is the same for all rows: once a tile, outside of the steps.
// CHECK-NEXT:        %[[BIAS_SLOT:.*]] = aicore.slot %[[J]] of %[[BIAS]]
// CHECK-NEXT:        aicore.load %bias[%[[J0:.*]]] along [-1, 0] size(%c1, %[[TN]]) -> %[[BIAS]][%[[BIAS_SLOT]]] pad 1
// CHECK-NEXT:        scf.for %[[DONE:.*]] = %c0 to %[[ROWS]] step %c32 {
// CHECK-NEXT:          %[[ROW:.*]] = arith.addi %[[FIRST]], %[[DONE]]
// CHECK-NEXT:          %[[REST:.*]] = arith.subi %[[ROWS]], %[[DONE]]
// CHECK-NEXT:          %[[COUNT:.*]] = arith.minsi %[[REST]], %c32
// CHECK:               %[[ACC_SLOT:.*]] = aicore.slot %{{.*}} of %[[ACC_UB]]
// CHECK-NEXT:          aicore.fetch %[[SPILLED]][%[[SLOT]]] at(%[[ROW]]) size(%[[COUNT]], %[[TN]]) -> %[[ACC_UB]][%[[ACC_SLOT]]]
// CHECK-NEXT:          %[[OUT_SLOT:.*]] = aicore.slot %{{.*}} of %[[OUT]]
// CHECK-NEXT:          aicore.vector ins(%[[ACC_UB]][%[[ACC_SLOT]]] full, %[[BIAS]][%[[BIAS_SLOT]]] row : {{.*}}) outs(%[[OUT]][%[[OUT_SLOT]]] : {{.*}}) size(%[[COUNT]], %[[TN]]) {
// CHECK-NEXT:          ^bb0(%[[E:.*]]: f32, %[[F:.*]]: f32):
// CHECK-NEXT:            %[[SUM:.*]] = arith.addf %[[E]], %[[F]]
// CHECK-NEXT:            aicore.yield %[[SUM]]
// CHECK-NEXT:          }
// CHECK-NEXT:          %[[I:.*]] = arith.addi %[[I0]], %[[ROW]]
// CHECK-NEXT:          aicore.store %[[OUT]][%[[OUT_SLOT]]] -> %c[%[[I]], %[[J0]]] along [0, 1] size(%[[COUNT]], %[[TN]])
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NOT:   aicore.fixpipe
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

// The product is a result too: the fixpipe writes it, beside the spill.
// CHECK-LABEL: aicore.kernel @both
// CHECK:           aicore.fixpipe %acc_l0c[%[[SLOT:.*]]] -> %c[
// CHECK:           aicore.spill %acc_l0c[%[[SLOT]]]
// CHECK:           aicore.vector_cores 2 {
// CHECK:             aicore.store %out_ub[%{{.*}}] -> %d[
// CHECK-NOT:         aicore.store
mmk.kernel @both dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>]
    results [#mmk.named<"c"["M", "N"]>, #mmk.named<"d"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y:2 = mmk.fusion_group {
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
    mmk.yield %acc, %sum : tensor<?x?xf32>, tensor<?x?xf32>
  } -> tensor<?x?xf32>, tensor<?x?xf32>
  mmk.return %y#0, %y#1 : tensor<?x?xf32>, tensor<?x?xf32>
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
