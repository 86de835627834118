// RUN: mmk-opt %s --mmk-join-dimensions --split-input-file --verify-diagnostics

// In the order of the tensors it would be M*N; and M stays, as it has a tile.
#id = affine_map<(d0, d1) -> (d0, d1)>
// expected-error @+1 {{a choice names the dimension N*M, which is not one in this variant; dimensions: M, N}}
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [4]
  mmk.choice "tile.N*M" = [64]
}
