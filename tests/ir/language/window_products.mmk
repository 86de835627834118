// Products of windows as IR. FileCheck reads this file: see window_products.test.

// Pixels and filters are merged, what stands for each element is done in the merged dimensions, and
// the result is split where it is returned.
// CHECK-LABEL: mmk.kernel @convolution dims {{.*}}"CRS", "PQ"]
// CHECK-DAG:     %[[W:.*]] = tensor.collapse_shape %w {{\[\[}}0], [1, 2, 3]] {mmk.dims = ["O", "CRS"]}
// CHECK:         %[[X:.*]] = mmk.window %x at #{{.*}} ["B", "P", "Q", "C", "R", "S"] pad
// CHECK:         %[[U:.*]] = linalg.generic {{.*}} ins(%[[X]] :
// CHECK:         %[[M:.*]] = tensor.collapse_shape %[[U]] {{\[\[}}0], [1, 2, 3], [4, 5]] {mmk.dims = ["B", "CRS", "PQ"]}
// CHECK:         %[[C:.*]] = linalg.contract {{.*}} ins(%[[W]], %[[M]]
// CHECK:         linalg.generic {{.*}} ins({{.*}}%[[C]]
// CHECK:         %[[Z:.*]] = tensor.collapse_shape %z {{\[\[}}0], [1], [2, 3]] {mmk.dims = ["B", "O", "PQ"]}
// CHECK:         linalg.generic {{.*}} ins(%[[Z]] :
// CHECK:         %[[Y:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]]
// CHECK-NEXT:    mmk.return %[[Y]]
kernel convolution(x: f16[B, C, H, W], w: f16[O, C, R, S], bias: f32[O], z: f16[B, O, P, Q]) -> y: f16[B, O, P, Q] {
  dim P = H - R + 3;
  dim Q = W - S + 3;
  y[b, o, p, q] = relu(bias[o] + sum[c, r, s](pad(x, 0)[b, c, p + r - 1, q + s - 1] * w[o, c, r, s]))
                + z[b, o, p, q];
}

// Images are merged, too, where they follow each other in the result; the depth is in the order of
// the pixels in memory.
// CHECK-LABEL: mmk.kernel @channels_last dims {{.*}}"BPQ", "CRS"]
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2], [3, 4, 5]] {mmk.dims = ["BPQ", "CRS"]}
// CHECK:         tensor.collapse_shape %w {{\[\[}}0, 1, 2], [3]] {mmk.dims = ["CRS", "O"]}
// CHECK:         linalg.contract
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1, 2], [3]]
kernel channels_last(x: f16[B, H, W, C], w: f16[R, S, C, O]) -> y: f32[B, P, Q, O] {
  dim P = H - R + 1;
  dim Q = W - S + 1;
  y[b, p, q, o] = sum[c, r, s](x[b, p + r, q + s, c] * w[r, s, c, o]);
}

// A filter of one element takes pixels in place, and their two dimensions are one.
// CHECK-LABEL: mmk.kernel @pointwise dims {{.*}}"PQ"]
// CHECK-NOT:     mmk.window
// CHECK-DAG:     %[[W:.*]] = tensor.collapse_shape %w {{\[\[}}0], [1, 2, 3]] {mmk.dims = ["O", "C"]}
// CHECK-DAG:     %[[X:.*]] = tensor.collapse_shape %x {{\[\[}}0], [1], [2, 3]] {mmk.dims = ["B", "C", "PQ"]}
// CHECK:         linalg.contract {{.*}} ins(%[[W]], %[[X]]
kernel pointwise(x: f16[B, C, H, W], w: f16[O, C, 1, 1]) -> y: f32[B, O, H, W] { y = conv2d(x, w, 1, 0, 1); }

// A bias of rows of pixels is not in the merged dimensions.
// CHECK-LABEL: mmk.kernel @bias_of_rows
// CHECK:         %[[E:.*]] = tensor.expand_shape
// CHECK:         linalg.generic {{.*}} ins(%[[E]], %bias :
kernel bias_of_rows(x: f16[B, C, H, W], w: f16[O, C, R, S], bias: f32[P]) -> y: f32[B, O, P, Q] {
  dim P = H - R + 1;
  dim Q = W - S + 1;
  y[b, o, p, q] = sum[c, r, s](x[b, c, p + r, q + s] * w[o, c, r, s]) + bias[p];
}

// Without columns of its own it is a reduction, and no product.
// CHECK-LABEL: mmk.kernel @depthwise
// CHECK-NOT:     linalg.contract
// CHECK:         linalg.generic {{.*}}"reduction", "reduction"]
kernel depthwise(x: f16[B, C, H, W], w: f16[C, R, S]) -> y: f32[B, C, P, Q] {
  dim P = H - R + 1;
  dim Q = W - S + 1;
  y[b, c, p, q] = sum[r, s](x[b, c, p + r, q + s] * w[c, r, s]);
}
