// Products on a coupled chip: L0C reaches UB, and cube and vector unit are one core.
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", coupled, cores = 4, vector_cores = 1, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

module attributes {aicore.machine = #machine} {

// Even a plain product goes through UB: rows of the accumulator are drained and stored, by one vector
// unit, on the same core.
// CHECK-LABEL: aicore.kernel @plain
// CHECK:         %[[UB:acc_ub]] = aicore.alloc "acc" of "ub" copies 1 : memref<64x32xf32, #aicore.space<ub>>
// CHECK:           aicore.mmad {{.*}} -> %acc_l0c[%[[ACC_SLOT:.*]]] size(%[[TM:.*]], %[[TN:.*]], %{{.*}}) first
// CHECK-NOT:       aicore.vector_cores
// CHECK:           scf.for %[[DONE:.*]] = %c0 to %[[TM]] step %c64 {
// CHECK:             %[[COUNT:.*]] = arith.minsi %{{.*}}, %c64
// CHECK:             %[[SLOT:.*]] = aicore.slot %{{.*}} of %[[UB]]
// CHECK-NEXT:        aicore.drain %acc_l0c[%[[ACC_SLOT]]] at(%[[DONE]]) size(%[[COUNT]], %[[TN]]) -> %[[UB]][%[[SLOT]]]
// CHECK:             aicore.store %[[UB]][%[[SLOT]]] -> %c[%{{.*}}, %{{.*}}] along [0, 1] size(%[[COUNT]], %[[TN]])
// CHECK-NOT:   aicore.fixpipe
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

// Nothing converts on the way out of L0C: the vector unit narrows.
// CHECK-LABEL: aicore.kernel @narrowed
// CHECK:             aicore.drain {{.*}} -> %acc_ub[%[[SLOT:.*]]]
// CHECK:             aicore.vector ins(%acc_ub[%[[SLOT]]] full : {{.*}}) outs(%out_ub[%[[OUT:.*]]] : memref<64x32xf16, #aicore.space<ub>>)
// CHECK:               arith.truncf
// CHECK:             aicore.store %out_ub[%[[OUT]]] -> %c
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

// CHECK-LABEL: aicore.kernel @epilogue
// CHECK-NOT:       aicore.spill
// CHECK:           aicore.load %bias[%{{.*}}] along [-1, 0] size(%c1, %{{.*}}) -> %bias_ub[%[[BIAS:.*]]] pad 1
// CHECK:           scf.for
// CHECK:             aicore.drain {{.*}} -> %acc_ub[%[[SLOT:.*]]]
// CHECK:             aicore.vector ins(%acc_ub[%[[SLOT]]] full, %bias_ub[%[[BIAS]]] row : {{.*}}) outs(%out_ub[%[[OUT:.*]]] :
// CHECK:             aicore.store %out_ub[%[[OUT]]] -> %c
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

// The product as a result of its own is stored from where it was drained to: two readers of one buffer.
// CHECK-LABEL: aicore.kernel @both
// CHECK:             aicore.drain {{.*}} -> %acc_ub[%[[SLOT:.*]]]
// CHECK:             aicore.vector ins(%acc_ub[%[[SLOT]]] full,
// CHECK:             aicore.store %acc_ub[%[[SLOT]]] -> %c[
// CHECK:             aicore.store %out_ub[%{{.*}}] -> %d[
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
