// Two products in one group, which only textual IR has.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --mmk-tile-cores --mmk-tile-base --aicore-assign-memories

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3) -> (d0, d1 + d2, d3)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// Textual IR may have several products in a group.
module attributes {aicore.machine = #machine} {
mmk.kernel @two dims ["B", "W", "C", "S", "O", "Q", "NQ", "SC"]
    args [#mmk.named<"x"["B", "W", "C"]>, #mmk.named<"w"["S", "C", "O"]>, #mmk.named<"z"["B", "W", "C"]>, #mmk.named<"v"["S", "C", "O"]>]
    results [#mmk.named<"y"["NQ", "O"]>] {
^bb0(%x: tensor<?x?x?xf16>, %w: tensor<?x?x?xf16>, %z: tensor<?x?x?xf16>, %v: tensor<?x?x?xf16>):
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %zero = arith.constant 0.0 : f32
    %nq = mmk.dim "NQ"
    %o = mmk.dim "O"
    %xs = mmk.window %x at #window ["B", "Q", "S", "C"] : tensor<?x?x?xf16> -> tensor<?x?x?x?xf16>
    %zs = mmk.window %z at #window ["B", "Q", "S", "C"] : tensor<?x?x?xf16> -> tensor<?x?x?x?xf16>
    %a0 = tensor.collapse_shape %xs [[0, 1], [2, 3]] {mmk.dims = ["NQ", "SC"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
    %a1 = tensor.collapse_shape %zs [[0, 1], [2, 3]] {mmk.dims = ["NQ", "SC"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
    %b0 = tensor.collapse_shape %w [[0, 1], [2]] {mmk.dims = ["SC", "O"]} : tensor<?x?x?xf16> into tensor<?x?xf16>
    %b1 = tensor.collapse_shape %v [[0, 1], [2]] {mmk.dims = ["SC", "O"]} : tensor<?x?x?xf16> into tensor<?x?xf16>
    %empty = tensor.empty(%nq, %o) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.contract indexing_maps = [#a, #b, #c] ins(%a0, %b0 : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    %q = linalg.contract indexing_maps = [#a, #b, #c] ins(%a1, %b1 : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%p, %q : tensor<?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%e: f32, %f: f32, %out: f32):
      %s = arith.addf %e, %f : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    mmk.yield %sum : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct loads windows for one product, or for several of one image and one matrix, but a fusion group has 2 others; legal: unfolded}}
  mmk.choice "window" = ["direct"]
  mmk.choice "tile.NQ" = [32]
  mmk.choice "tile.O" = [32]
}
}
