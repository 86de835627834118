// RUN: mmk-opt %s --mmk-unroll-windows --split-input-file --verify-diagnostics

// A kernel without a product.
#id = affine_map<(d0) -> (d0)>
mmk.kernel @k dims ["M"] args [#mmk.named<"x"["M"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?xf32>):
  %m = mmk.dim "M"
  %e = tensor.empty(%m) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
} schedule {
  // expected-error @+1 {{fuse = windows computes a product once for each tap of a pooling behind it, of at most 9 taps that do not overlap and are within the product, and this kernel has no such pooling; nearest legal: fuse = all}}
  mmk.choice "fuse" = ["windows"]
}
