// Fusion groups without a product: all work is on the vector cores.
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>
#single = affine_map<(m, n) -> ()>
#id1 = affine_map<(n) -> (n)>

module attributes {aicore.machine = #machine} {

// All four broadcasts of an operand. A row and a single element are the same for all rows: they are
// loaded once a tile, before the steps. A column is held as a row, along the tensor's rows. Every
// buffer's row is a whole number of vectors. The schedule's tile is one step of one vector core.
// CHECK-LABEL: aicore.kernel @broadcasts
// CHECK:         %x_ub = aicore.alloc "x" of "ub" copies 1 : memref<16x32xf32, #aicore.space<ub>>
// CHECK-NEXT:    %r_ub = aicore.alloc "r" of "ub" copies 1 : memref<1x32xf32, #aicore.space<ub>>
// CHECK-NEXT:    %q_ub = aicore.alloc "q" of "ub" copies 1 : memref<1x16xf32, #aicore.space<ub>>
// CHECK-NEXT:    %s_ub = aicore.alloc "s" of "ub" copies 1 : memref<1x16xf32, #aicore.space<ub>>
// CHECK-NEXT:    %out_ub = aicore.alloc "out" of "out" copies 1 : memref<16x32xf16, #aicore.space<ub>>
// Scratch is added with the vector instructions.
// CHECK-NOT:     aicore.alloc
// CHECK:           aicore.vector_cores 2 {
// CHECK:             aicore.load %r[%[[J0:.*]]] along [-1, 0] size(%c1, %[[TN:.*]]) -> %r_ub[%[[R:.*]]] pad 1
// CHECK:             aicore.load %s[] along [-1, -1] size(%c1, %c1) -> %s_ub[%[[S:.*]]] pad 1
// CHECK:             scf.for
// CHECK:               aicore.load %x[%[[I:.*]], %[[J0]]] along [0, 1] size(%[[COUNT:.*]], %[[TN]]) -> %x_ub[%[[X:.*]]] pad 1
// CHECK:               aicore.load %q[%[[I]]] along [-1, 0] size(%c1, %[[COUNT]]) -> %q_ub[%[[Q:.*]]] pad 1
// CHECK:               aicore.vector ins(%x_ub[%[[X]]] full, %r_ub[%[[R]]] row, %q_ub[%[[Q]]] column, %s_ub[%[[S]]] single :
// CHECK:               aicore.store {{.*}} -> %y[%[[I]], %[[J0]]] along [0, 1] size(%[[COUNT]], %[[TN]])
mmk.kernel @broadcasts dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>, #mmk.named<"r"["N"]>, #mmk.named<"q"["M"]>, #mmk.named<"s">]
    results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>, %r: tensor<?xf32>, %q: tensor<?xf32>, %s: tensor<f32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf16>
    %out = linalg.generic {indexing_maps = [#id, #row, #column, #single, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x, %r, %q, %s : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<f32>) outs(%empty : tensor<?x?xf16>)
        {
    ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32, %o: f16):
      %p = arith.mulf %e0, %e1 : f32
      %t = arith.mulf %e2, %e3 : f32
      %u = arith.addf %p, %t : f32
      %w = arith.truncf %u : f32 to f16
      linalg.yield %w : f16
    } -> tensor<?x?xf16>
    mmk.yield %out : tensor<?x?xf16>
  } -> tensor<?x?xf16>
  mmk.return %y : tensor<?x?xf16>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [32]
  mmk.choice "cores" = [4]
}

// One dimension has no rows to distribute: the vector cores halve the columns.
// CHECK-LABEL: aicore.kernel @line
// CHECK:         %x_ub = aicore.alloc "x" of "ub" copies 1 : memref<1x64xf32, #aicore.space<ub>>
// CHECK:           %[[J0:.*]] = arith.muli %{{.*}}, %c128
// CHECK:           %[[TN:.*]] = arith.minsi %{{.*}}, %c128
// CHECK:           aicore.vector_cores 2 {
// CHECK-NEXT:      ^bb0(%[[V:.*]]: index):
// CHECK-NEXT:        %[[PART:.*]] = arith.ceildivsi %[[TN]], %c2
// CHECK-NEXT:        %[[FIRST:.*]] = arith.muli %[[V]], %[[PART]]
// CHECK:             %[[COLUMNS:.*]] = arith.maxsi %{{.*}}, %c0
// CHECK:             %[[J:.*]] = arith.addi %[[J0]], %[[FIRST]]
// CHECK:             aicore.load %x[%[[J]]] along [-1, 0] size(%c1, %[[COLUMNS]]) -> %x_ub
// CHECK:             aicore.store %{{.*}} -> %y[%[[J]]] along [-1, 0] size(%{{.*}}, %[[COLUMNS]])
mmk.kernel @line dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"y"["N"]>] {
^bb0(%x: tensor<?xf32>):
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%n) : tensor<?xf32>
    %out = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
        ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
    ^bb0(%e0: f32, %o: f32):
      %p = arith.negf %e0 : f32
      linalg.yield %p : f32
    } -> tensor<?xf32>
    mmk.yield %out : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
} schedule {
  mmk.choice "tile.N" = [64]
  mmk.choice "cores" = [4]
}

// Scalars of the kernel are used from above; constants too. Two outputs of one instruction.
// CHECK-LABEL: aicore.kernel @scalars
// CHECK:       ^bb0(%M: index, %N: index, %x: memref<?x?xf32, #aicore.space<gm>>, %alpha: f32, %y: memref<?x?xf32, #aicore.space<gm>>, %z: memref<?x?xf32, #aicore.space<gm>>):
// CHECK:         %[[OUT0:out_ub]] = aicore.alloc "out" of "out"
// CHECK-NEXT:    %[[OUT1:out1_ub]] = aicore.alloc "out1" of "out"
// CHECK:               aicore.vector ins({{.*}}) outs(%[[OUT0]][%[[S0:.*]]], %[[OUT1]][%[[S1:.*]]] :
// CHECK-NEXT:          ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT:            %[[SCALED:.*]] = arith.mulf %alpha, %[[E]]
// CHECK-NEXT:            %[[SHIFTED:.*]] = arith.addf %[[SCALED]], %cst
// CHECK-NEXT:            aicore.yield %[[SCALED]], %[[SHIFTED]]
// CHECK:               aicore.store %[[OUT0]][%[[S0]]] -> %y
// CHECK:               aicore.store %[[OUT1]][%[[S1]]] -> %z
mmk.kernel @scalars dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>, #mmk.named<"alpha">]
    results [#mmk.named<"y"["M", "N"]>, #mmk.named<"z"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>, %alpha: f32):
  %half = arith.constant 0.5 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y:2 = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %out:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty, %empty : tensor<?x?xf32>, tensor<?x?xf32>) {
    ^bb0(%e: f32, %o: f32, %p: f32):
      %scaled = arith.mulf %alpha, %e : f32
      %shifted = arith.addf %scaled, %half : f32
      linalg.yield %scaled, %shifted : f32, f32
    } -> (tensor<?x?xf32>, tensor<?x?xf32>)
    mmk.yield %out#0, %out#1 : tensor<?x?xf32>, tensor<?x?xf32>
  } -> tensor<?x?xf32>, tensor<?x?xf32>
  mmk.return %y#0, %y#1 : tensor<?x?xf32>, tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [32]
  mmk.choice "cores" = [4]
}
}
