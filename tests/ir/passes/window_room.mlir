// Where the lines of an image have no room.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --mmk-read-windows --mmk-fuse-epilogue --mmk-tile-cores --mmk-tile-base --aicore-assign-memories

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [262144, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3 - 1, d2 + d4 - 1, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct leaves no room in L1 for lines of the image; nearest legal: shorter stages or tiles, window = unfolded}}
  mmk.choice "window" = ["direct"]
  mmk.choice "tile.O" = [256]
  mmk.choice "tile.RSC" = [64]
  mmk.choice "stage.RSC" = [256]
  mmk.choice "buffers.l1" = [2]
}
}
