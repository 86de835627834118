// Windows that are the right operand of a product, as with channels first: with `window = direct` the
// product is computed transposed (passes/windows/transposed_product.cpp).

// The image is copied with its channels last, and the weights with their depth outside.
// CHECK-LABEL: mmk.kernel @activated
// CHECK:         [[IMAGE:%.*]] = mmk.fusion_group
// CHECK:         [[WEIGHTS:%.*]] = mmk.fusion_group
// Pixels are rows. The bias is added to columns.
// CHECK:         [[Y:%.*]] = mmk.fusion_group tile [64, 32]
// CHECK:           [[WINDOWS:%.*]] = mmk.window [[IMAGE]] at {{.*}} ["B", "P", "Q", "C", "R", "S"]
// CHECK-NEXT:      tensor.collapse_shape [[WINDOWS]] {{\[}}[0], [1, 2], [3, 4, 5]] {mmk.dims = ["B", "PQ", "CRS"]}
// CHECK:           linalg.contract
// CHECK:           linalg.generic {{.*}} ins({{.*}}, {{.*}} : tensor<1x?x?xf32>, tensor<?xf32>) outs({{.*}} : tensor<1x?x?xf16>)
// CHECK:             arith.addf
// CHECK:             arith.maximumf
// CHECK:             arith.truncf
// The result alone is transposed.
// CHECK:         mmk.fusion_group
// CHECK:           [[TILE:%.*]] = tensor.extract_slice [[Y]]
// CHECK:           linalg.generic {{.*}} ins([[TILE]] : tensor<1x?x?xf16>) outs({{.*}} : tensor<1x?x?xf16>)
// CHECK-NEXT:      ^bb0(%in: f16, %out: f16):
// CHECK-NEXT:        linalg.yield %in : f16
kernel activated(x: f16[B, C, H, W], w: f16[O, C, R, S], bias: f32[O]) -> y: f16[B, O, P, Q] {
  dim P = H - R + 3;
  dim Q = W - S + 3;
  y[b, o, p, q] = cast<f16>(relu(sum[c, r, s](pad(x, 0)[b, c, p + r - 1, q + s - 1] * w[o, c, r, s]) + bias[o]));
  schedule { tile O = 32, PQ = 64, CRS = 48; stage CRS = 144; window = direct; }
}

// What is a column of the product is a row of the transposed one, which may start from it.
// TABLE-LABEL: mmk.kernel @activated
// TABLE:         linalg.broadcast ins({{.*}} : tensor<?xf32>)
// TABLE-NOT:     arith.addf

// Another matrix is read as it is, and added where the product is transposed.
// RESIDUAL-LABEL: mmk.kernel @residual
// RESIDUAL:         mmk.fusion_group
// RESIDUAL:           linalg.contract
// RESIDUAL-NOT:       arith.addf
// RESIDUAL:         mmk.fusion_group
// RESIDUAL:           [[Z:%.*]] = tensor.collapse_shape %z
// RESIDUAL:           tensor.extract_slice [[Z]]
// RESIDUAL:           arith.addf
kernel residual(x: f16[B, C, H, W], w: f16[O, C, R, S], z: f32[B, O, P, Q]) -> y: f32[B, O, P, Q] {
  dim P = H - R + 3;
  dim Q = W - S + 3;
  y[b, o, p, q] = sum[c, r, s](pad(x, 0)[b, c, p + r - 1, q + s - 1] * w[o, c, r, s]) + z[b, o, p, q];
  schedule { tile O = 32, PQ = 64, CRS = 48; stage CRS = 144; window = direct; }
}
