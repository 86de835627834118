// A tile of H does not part H*W where that has a tile, too: another operation may have H alone.
// RUN: mmk-opt %s --mmk-join-dimensions | FileCheck %s

// CHECK-LABEL: mmk.kernel @k
// CHECK:         tensor.collapse_shape %x {{\[\[}}0, 1]] {mmk.dims = ["H*W"]}
// CHECK:         linalg.generic {{.*}} ["parallel"]}
#id = affine_map<(d0, d1) -> (d0, d1)>
mmk.kernel @k dims ["H", "W"] args [#mmk.named<"x"["H", "W"]>] results [#mmk.named<"y"["H", "W"]>] {
^bb0(%x: tensor<?x?xf32>):
  %h = mmk.dim "H"
  %w = mmk.dim "W"
  %e = tensor.empty(%h, %w) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.H" = [4]
  mmk.choice "tile.H*W" = [64]
}
