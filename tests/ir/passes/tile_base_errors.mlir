// Run out of order.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --mmk-tile-base

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

mmk.kernel @no_tiles dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %c = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    // expected-error @+1 {{'linalg.contract' op is not mapped to cores; run mmk-tile-cores first}}
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.yield %acc : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %c : tensor<?x?xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A second time would tile the base tile again.
mmk.kernel @twice dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %c = mmk.fusion_group tile [16, 32] steps [16, 16] {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %fill) -> (tensor<?x?xf32>) {
      // expected-error @+1 {{'linalg.contract' op is tiled already}}
      %acc = linalg.contract indexing_maps = [#a, #b, #c]
          ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
      scf.yield %acc : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %c : tensor<?x?xf32>
}
