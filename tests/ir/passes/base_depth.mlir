// H is an output of the first product and the depth of the second. Its tile is that of the output;
// the base depth of the second product is that tile, halved until its operands fit L0.
// RUN: mmk-opt %s --mmk-apply-variant=machine=ascend910b3 --mmk-fuse-epilogue --mmk-tile-cores --mmk-tile-base | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// CHECK: mmk.kernel @chain
// CHECK: mmk.fusion_group tile [128, 256] steps [256, 64]
// 128 x 256 and 256 x 256 of f16 do not fit 64 KiB twice, 128 x 64 and 64 x 256 do.
// CHECK: mmk.fusion_group tile [128, 256] steps [128, 64]
mmk.kernel @chain dims ["M", "K", "H", "N"] args [#mmk.named<"x"["M", "K"]>, #mmk.named<"w"["K", "H"]>, #mmk.named<"v"["H", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %v: tensor<?x?xf16>):
  %n = mmk.dim "N"
  %h = mmk.dim "H"
  %m = mmk.dim "M"
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty(%m, %h) : tensor<?x?xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p0 = linalg.contract indexing_maps = [#a, #b, #c] ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e1 = tensor.empty(%m, %h) : tensor<?x?xf16>
  %half = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p0 : tensor<?x?xf32>) outs(%e1 : tensor<?x?xf16>) {
  ^bb0(%in: f32, %out: f16):
    %t = arith.truncf %in : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x?xf16>
  %e2 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p2 = linalg.contract indexing_maps = [#a, #b, #c] ins(%half, %v : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %p2 : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [128]
  mmk.choice "tile.H" = [256]
  mmk.choice "tile.K" = [64]
  mmk.choice "tile.N" = [256]
  mmk.choice "stage.K" = [256]
  mmk.choice "stage.H" = [128]
}
