// Operands of a product: transposed, batched, or the result of an earlier product.
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#a3 = affine_map<(b, m, n, k) -> (b, m, k)>
#c3 = affine_map<(b, m, n, k) -> (b, m, n)>
#b2 = affine_map<(b, m, n, k) -> (k, n)>

module attributes {aicore.machine = #machine} {

// B is stored transposed: it is loaded as n x k, and transposed in the transfer to L0B.
// CHECK-LABEL: aicore.kernel @transposed_b
// CHECK:         %a_l1 = aicore.alloc {{.*}} : memref<64x48xf16, #aicore.space<l1>>
// CHECK-NEXT:    %b_l1 = aicore.alloc {{.*}} : memref<32x48xf16, #aicore.space<l1>>
// CHECK-NEXT:    %a_l0a = aicore.alloc {{.*}} : memref<64x16xf16, #aicore.space<l0a>>
// CHECK-NEXT:    %b_l0b = aicore.alloc {{.*}} : memref<16x32xf16, #aicore.space<l0b>>
// CHECK:             aicore.load %b[%[[J0:.*]], %[[KS:.*]]] along [0, 1] size(%[[TN:.*]], %[[DEPTH:.*]]) -> %b_l1
// CHECK:               aicore.load_l0 %a_l1[%{{.*}}] at(%c0, %[[KB:.*]]) size(%[[TM:.*]], %[[STEP:.*]]) -> %a_l0a
// CHECK:               aicore.load_l0 %b_l1[%{{.*}}] at(%c0, %[[KB]]) size(%[[TN]], %[[STEP]]) transposed -> %b_l0b
// CHECK:               aicore.mmad {{.*}} size(%[[TM]], %[[TN]], %[[STEP]])
mmk.kernel @transposed_b dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["N", "K"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #bt, #c]
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

// The same for A: the depth is now its rows.
// CHECK-LABEL: aicore.kernel @transposed_a
// CHECK:         %a_l1 = aicore.alloc {{.*}} : memref<48x64xf16, #aicore.space<l1>>
// CHECK-NEXT:    %b_l1 = aicore.alloc {{.*}} : memref<48x32xf16, #aicore.space<l1>>
// CHECK-NEXT:    %a_l0a = aicore.alloc {{.*}} : memref<64x16xf16, #aicore.space<l0a>>
// CHECK:             aicore.load %a[%[[KS:.*]], %[[I0:.*]]] along [0, 1] size(%[[DEPTH:.*]], %[[TM:.*]]) -> %a_l1
// CHECK:               aicore.load_l0 %a_l1[%{{.*}}] at(%[[KB:.*]], %c0) size(%[[STEP:.*]], %[[TM]]) transposed -> %a_l0a
// CHECK:               aicore.load_l0 %b_l1[%{{.*}}] at(%[[KB]], %c0) size(%[[STEP]], %[[TN:.*]]) -> %b_l0b
// CHECK:               aicore.mmad {{.*}} size(%[[TM]], %[[TN]], %[[STEP]])
mmk.kernel @transposed_a dims ["M", "K", "N"]
    args [#mmk.named<"a"["K", "M"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#at, #b, #c]
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

// A batch: one offset more, and rows and columns run along the last two dimensions. B has no batch.
// CHECK-LABEL: aicore.kernel @batched
// CHECK:           %[[BATCH:.*]] = arith.divsi %{{.*}}, %{{.*}}
// CHECK:             aicore.load %a[%[[BATCH]], %{{.*}}, %{{.*}}] along [1, 2]
// CHECK:             aicore.load %b[%{{.*}}, %{{.*}}] along [0, 1]
// CHECK:           aicore.fixpipe %{{.*}} -> %c[%[[BATCH]], %{{.*}}, %{{.*}}] along [1, 2]
mmk.kernel @batched dims ["B", "M", "K", "N"]
    args [#mmk.named<"a"["B", "M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["B", "M", "N"]>] {
^bb0(%a: tensor<?x?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %bs = mmk.dim "B"
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%bs, %m, %n) : tensor<?x?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %acc = linalg.contract indexing_maps = [#a3, #b2, #c3]
        ins(%a, %b : tensor<?x?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    mmk.yield %acc : tensor<?x?x?xf32>
  } -> tensor<?x?x?xf32>
  mmk.return %y : tensor<?x?x?xf32>
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

// Two products, one after the other: what is between them is a workspace in global memory with the name
// of the product, and all cores finish the first phase before any starts the second.
// CHECK-LABEL: aicore.kernel @chained
// CHECK:       %[[WORKSPACE:hidden]] = aicore.workspace "hidden" [%M, %H] : memref<?x?xf16, #aicore.space<gm>>
// CHECK-NEXT:  aicore.phase {
// CHECK:         aicore.load %a[
// CHECK:         aicore.load %b[
// CHECK:         aicore.fixpipe %{{.*}} -> %[[WORKSPACE]][
// CHECK:       aicore.phase {
// CHECK:         %[[L1:hidden_l1]] = aicore.alloc "hidden" of "l1"
// CHECK:         aicore.load %[[WORKSPACE]][%{{.*}}] along [0, 1] {{.*}} -> %[[L1]]
// CHECK:         aicore.load %d[
// CHECK:         aicore.fixpipe %{{.*}} -> %c[
// CHECK-NOT:   aicore.phase
mmk.kernel @chained dims ["M", "K", "H", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "H"]>, #mmk.named<"d"["H", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %h = mmk.dim "H"
  %n = mmk.dim "N"
  %half = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %h) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "hidden"}
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    %empty1 = tensor.empty(%m, %h) : tensor<?x?xf16>
    %narrow = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%acc : tensor<?x?xf32>) outs(%empty1 : tensor<?x?xf16>) {
    ^bb0(%e: f32, %out: f16):
      %s = arith.truncf %e : f32 to f16
      linalg.yield %s : f16
    } -> tensor<?x?xf16>
    mmk.yield %narrow : tensor<?x?xf16>
  } -> tensor<?x?xf16>
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%half, %d : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.yield %acc : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}
