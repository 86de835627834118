// A tile is one operation, from tensor to tensor.
// RUN: mmk-opt %s --mmk-split-reduction --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   --cpu-lower --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny" kind "host", coupled, cores = 4, vector_cores = 1, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#bt = affine_map<(m, n, k) -> (n, k)>
#bn = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {

// B is transposed: its rows run along n. The whole depth is one operation, in passes of a stage;
// nothing is loaded or drained, and scratch has one copy, whatever `buffers` says.
// CHECK-LABEL: aicore.kernel @fused
// CHECK:         %a_l0a = aicore.alloc "a" of "scratch" copies 1 : memref<16x80xf16, #aicore.space<l0a>>
// CHECK-NEXT:    %b_l0b = aicore.alloc "b" of "scratch" copies 1 : memref<48x32xf16, #aicore.space<l0b>>
// CHECK-NEXT:    %acc_l0c = aicore.alloc "acc" of "scratch" copies 1 : memref<64x240xf32, #aicore.space<l0c>>
// CHECK-NEXT:    %{{.*}} = arith.ceildivsi %M, %c64
// CHECK-NEXT:    %{{.*}} = arith.ceildivsi %N, %c32
// CHECK:         scf.for
// CHECK:           cpu.product %a[%[[I:.*]], %c0] along [0, 1], %b[%[[J:.*]], %c0] along [1, 0] size(%[[TM:.*]], %[[TN:.*]], %K) step 48 ins(%v[%[[J]]] along [-1, 0], %q[%[[I]]] along [0, -1] : {{.*}}) outs(%c[%[[I]], %[[J]]] along [0, 1] : {{.*}}) scratch(%a_l0a, %b_l0b, %acc_l0c) {
// CHECK-NEXT:      ^bb0(%[[SUM:.*]]: f32, %[[V:.*]]: f32, %[[Q:.*]]: f32):
// CHECK-NEXT:        %[[X:.*]] = arith.addf %[[SUM]], %[[V]]
// CHECK-NEXT:        %[[Y:.*]] = arith.mulf %[[X]], %[[Q]]
// CHECK-NEXT:        cpu.yield %[[Y]] : f32
// CHECK-NOT:   aicore.{{load|stage|mmad|drain|vector|store}}
mmk.kernel @fused dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["N", "K"]>, #mmk.named<"v"["N"]>, #mmk.named<"q"["M"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %v: tensor<?xf32>, %q: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #bt, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    %empty1 = tensor.empty(%m, %n) : tensor<?x?xf32>
    %z = linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]}
        ins(%acc, %v, %q : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%empty1 : tensor<?x?xf32>) {
    ^bb0(%e: f32, %w: f32, %s: f32, %out: f32):
      %x = arith.addf %e, %w : f32
      %t = arith.mulf %x, %s : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    mmk.yield %z : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
  mmk.choice "cores" = [4]
  mmk.choice "buffers.l0" = [2]
}

// CHECK-LABEL: aicore.kernel @elementwise
// CHECK-NOT:     aicore.alloc
// CHECK:         cpu.elementwise size(%[[TM:.*]], %[[TN:.*]]) ins(%x[%[[I:.*]], %[[J:.*]]] along [0, 1], %v[%[[J]]] along [-1, 0] : {{.*}}) outs(%y[%[[I]], %[[J]]] along [0, 1] : {{.*}}) {
// CHECK-NEXT:    ^bb0(%[[E:.*]]: f32, %[[V:.*]]: f32):
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[E]], %[[V]]
// CHECK-NEXT:      cpu.yield %[[SUM]] : f32
mmk.kernel @elementwise dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>, #mmk.named<"v"["N"]>]
    results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>, %v: tensor<?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %z = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x, %v : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%e: f32, %w: f32, %out: f32):
      %s = arith.addf %e, %w : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    mmk.yield %z : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [32]
  mmk.choice "cores" = [4]
}

// The splits of a reduction are summed in place, and the epilogue reads the sum.
// CHECK-LABEL: aicore.kernel @split
// CHECK:         %[[PARTS:.*]] = aicore.workspace "p" [%{{.*}}, %{{.*}}, %{{.*}}] : memref<?x?x?xf32, #aicore.space<gm>>
// CHECK:         aicore.phase {
// CHECK:           cpu.product {{.*}} outs(%[[PARTS]][
// CHECK:         aicore.phase {
// CHECK-NOT:       aicore.alloc
// CHECK:           scf.for %[[S:.*]] = %c1 to %[[COUNT:.*]] step %c1 {
// CHECK-NEXT:        cpu.elementwise size(%[[TM:.*]], %[[TN:.*]]) ins(%[[PARTS]][%c0, %[[I:.*]], %[[J:.*]]] along [1, 2], %[[PARTS]][%[[S]], %[[I]], %[[J]]] along [1, 2] : {{.*}}) outs(%[[PARTS]][%c0, %[[I]], %[[J]]] along [1, 2] : {{.*}}) {
// CHECK-NEXT:        ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:          %[[SUM:.*]] = arith.addf %[[X]], %[[Y]]
// CHECK-NEXT:          cpu.yield %[[SUM]]
// CHECK:           cpu.elementwise size(%[[TM]], %[[TN]]) ins(%[[PARTS]][%c0, %[[I]], %[[J]]] along [1, 2], %v[%[[J]]] along [-1, 0] : {{.*}}) outs(%c[%[[I]], %[[J]]] along [0, 1] : {{.*}}) {
// CHECK-NEXT:      ^bb0(%[[P:.*]]: f32, %[[V:.*]]: f32):
// CHECK-NEXT:        %[[WHOLE:.*]] = arith.addf %[[P]], %cst
// CHECK-NEXT:        %[[R:.*]] = arith.addf %[[WHOLE]], %[[V]]
// CHECK-NEXT:        cpu.yield %[[R]]
mmk.kernel @split dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"v"["N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %v: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #bn, #c] {mmk.name = "p"}
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    %empty1 = tensor.empty(%m, %n) : tensor<?x?xf32>
    %z = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%acc, %v : tensor<?x?xf32>, tensor<?xf32>) outs(%empty1 : tensor<?x?xf32>) {
    ^bb0(%e: f32, %w: f32, %out: f32):
      %x = arith.addf %e, %w : f32
      linalg.yield %x : f32
    } -> tensor<?x?xf32>
    mmk.yield %z : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
  mmk.choice "grid.K" = [2]
  mmk.choice "cores" = [4]
}

}
