// `store = overlapped`: an accumulator in two parts, each drained during the product of the other.
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

module attributes {aicore.machine = #machine} {

// Both edges of a tile in parts, since the accumulator has a single copy.
// CHECK-LABEL: aicore.kernel @plain
// CHECK:         %[[ACC:acc_l0c]] = aicore.alloc "acc" of "acc" copies 1 parts 2 : memref<64x32xf32, #aicore.space<l0c>>
// CHECK:         scf.for %[[TILE:.*]] = %c0 to
// CHECK:           %[[TN:.*]] = arith.minsi %{{.*}}, %c32
// CHECK:           %[[SLOT:.*]] = aicore.slot %[[TILE]] of %[[ACC]]
// CHECK:           scf.for %[[KS:.*]] = %c0 to %K step %c48 {
// CHECK:             %[[DEPTH:.*]] = arith.minsi %{{.*}}, %c48
// CHECK-COUNT-2:     aicore.load
// CHECK:             %[[FIRST:.*]] = arith.cmpi eq, %[[KS]], %c0
// CHECK:             %[[NEXT:.*]] = arith.addi %[[KS]], %c48
// CHECK-NEXT:        %[[LAST:.*]] = arith.cmpi sge, %[[NEXT]], %K
// CHECK-NEXT:        %[[EDGE:.*]] = arith.select %[[FIRST]], %[[FIRST]], %[[LAST]]
// CHECK-NEXT:        scf.if %[[EDGE]] {
// CHECK-NEXT:          scf.if %[[FIRST]] {
// CHECK-NEXT:            aicore.producer_acquire %[[ACC]][%[[SLOT]]] part 0
// CHECK-NEXT:          }
// The first 16 columns: all of A, a part of B.
// CHECK-NEXT:          %[[LEFT:.*]] = arith.minsi %[[TN]], %c16
// CHECK-NEXT:          scf.for %[[KB:.*]] = %c0 to %[[DEPTH]] step %c16 {
// CHECK:                 %[[STEP:.*]] = arith.minsi %{{.*}}, %c16
// CHECK:                 aicore.load_l0 %a_l1[%{{.*}}] at(%c0, %[[KB]]) size(%{{.*}}, %[[STEP]])
// CHECK:                 aicore.load_l0 %b_l1[%{{.*}}] at(%[[KB]], %c0) size(%[[STEP]], %[[LEFT]])
// CHECK:                 aicore.mmad {{.*}} -> %[[ACC]][%[[SLOT]]] part 0 size(%{{.*}}, %[[LEFT]], %[[STEP]])
// CHECK:               scf.if %[[LAST]] {
// CHECK-NEXT:            aicore.producer_commit %[[ACC]][%[[SLOT]]] part 0
// CHECK:               scf.if %[[FIRST]] {
// CHECK-NEXT:            aicore.producer_acquire %[[ACC]][%[[SLOT]]] part 1
// A tile at the edge may have none of the other columns, and then no steps.
// CHECK:               %[[REST:.*]] = arith.subi %[[TN]], %c16
// CHECK-NEXT:          %[[CUT:.*]] = arith.minsi %[[REST]], %c16
// CHECK-NEXT:          %[[RIGHT:.*]] = arith.maxsi %[[CUT]], %c0
// CHECK-NEXT:          %[[ANY:.*]] = arith.cmpi sgt, %[[RIGHT]], %c0
// CHECK-NEXT:          %[[STEPS:.*]] = arith.select %[[ANY]], %[[DEPTH]], %c0
// CHECK-NEXT:          scf.for %[[KB:.*]] = %c0 to %[[STEPS]] step %c16 {
// CHECK:                 aicore.load_l0 %b_l1[%{{.*}}] at(%[[KB]], %c16) size(%{{.*}}, %[[RIGHT]])
// CHECK:                 aicore.mmad {{.*}} -> %[[ACC]][%[[SLOT]]] part 1 size(%{{.*}}, %[[RIGHT]], %{{.*}})
// CHECK:               scf.if %[[LAST]] {
// CHECK-NEXT:            aicore.producer_commit %[[ACC]][%[[SLOT]]] part 1
// Between the first and the last stage, the whole tile.
// CHECK:             } else {
// CHECK:                 aicore.mmad {{.*}} -> %[[ACC]][%[[SLOT]]] size(%{{.*}}, %[[TN]], %{{.*}})
// CHECK:           %[[LEFT:.*]] = arith.minsi %[[TN]], %c16
// CHECK-NEXT:      aicore.fixpipe %[[ACC]][%[[SLOT]]] part 0 -> %c[%{{.*}}, %[[J0:.*]]] along [0, 1] size(%{{.*}}, %[[LEFT]])
// CHECK:           %[[J1:.*]] = arith.addi %[[J0]], %c16
// CHECK-NEXT:      scf.if %{{.*}} {
// CHECK-NEXT:        aicore.fixpipe %[[ACC]][%[[SLOT]]] part 1 -> %c[%{{.*}}, %[[J1]]]
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
  mmk.choice "store" = ["overlapped"]
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
  mmk.choice "cores" = [4]
  mmk.choice "buffers.ub" = [2]
  mmk.choice "buffers.out" = [2]
  mmk.choice "buffers.l1" = [2]
}
// With two copies the next tile has one of its own: only the last stage goes in parts.
// CHECK-LABEL: aicore.kernel @twoCopies
// CHECK:           %[[SLOT:.*]] = aicore.slot %{{.*}} of %acc_l0c
// CHECK:           aicore.producer_acquire %acc_l0c[%[[SLOT]]] part 0
// CHECK-NEXT:      aicore.producer_acquire %acc_l0c[%[[SLOT]]] part 1
// CHECK:           scf.for %[[KS:.*]] = %c0 to %K step %c48 {
// CHECK:             %[[NEXT:.*]] = arith.addi %[[KS]], %c48
// CHECK-NEXT:        %[[LAST:.*]] = arith.cmpi sge, %[[NEXT]], %K
// CHECK-NEXT:        scf.if %[[LAST]] {
// CHECK-NOT:           aicore.producer_acquire
// CHECK:               aicore.mmad {{.*}} part 0
// CHECK:               aicore.producer_commit %acc_l0c[%[[SLOT]]] part 0
// CHECK:               aicore.mmad {{.*}} part 1
// CHECK-NEXT:        }
// CHECK-NEXT:        aicore.producer_commit %acc_l0c[%[[SLOT]]] part 1
mmk.kernel @twoCopies dims ["M", "K", "N"]
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
  mmk.choice "store" = ["overlapped"]
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
  mmk.choice "cores" = [4]
  mmk.choice "buffers.ub" = [2]
  mmk.choice "buffers.out" = [2]
  mmk.choice "buffers.l1" = [2]
  mmk.choice "buffers.acc" = [2]
}
// Each part is spilled to the vector cores by itself, as a tile of half the columns, of which there
// are as many copies as make the requested two tiles.
// CHECK-LABEL: aicore.kernel @epilogue
// CHECK:         %bias_ub = aicore.alloc "bias" of "ub" copies 1 : memref<1x16xf32, #aicore.space<ub>>
// CHECK:         %[[SPILLED:acc_gm]] = aicore.alloc "acc" of "out" copies 4 : memref<64x16xf32, #aicore.space<gm>>
// CHECK:         scf.for %[[TILE:.*]] = %c0 to
// CHECK:           %[[TWICE:.*]] = arith.muli %[[TILE]], %c2
// CHECK:           %[[W0:.*]] = aicore.slot %[[TWICE]] of %[[SPILLED]]
// CHECK-NEXT:      aicore.spill %acc_l0c[%[[SLOT:.*]]] part 0 size(%[[TM:.*]], %[[LEFT:.*]]) -> %[[SPILLED]][%[[W0]]]
// CHECK:           aicore.vector_cores 2 {
// CHECK:             aicore.load %bias[%[[J0:.*]]] along [-1, 0]
// CHECK:             aicore.fetch %[[SPILLED]][%[[W0]]]
// CHECK:             aicore.store %out_ub[%{{.*}}] -> %c[%{{.*}}, %[[J0]]]
// CHECK:           %[[NUMBER:.*]] = arith.addi %[[TWICE]], %c1
// CHECK:           %[[W1:.*]] = aicore.slot %[[NUMBER]] of %[[SPILLED]]
// CHECK-NEXT:      scf.if %[[ANY:.*]] {
// CHECK-NEXT:        aicore.spill %acc_l0c[%[[SLOT]]] part 1 size(%{{.*}}, %{{.*}}) -> %[[SPILLED]][%[[W1]]]
// CHECK:           aicore.vector_cores 2 {
// CHECK:             %[[J1:.*]] = arith.addi %[[J0]], %c16
// CHECK:             aicore.load %bias[%[[J1]]] along [-1, 0]
// CHECK:             aicore.store %out_ub[%{{.*}}] -> %c[%{{.*}}, %[[J1]]]
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
  mmk.choice "store" = ["overlapped"]
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
