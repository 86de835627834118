// Windows that products of the host read while they pack them. FileCheck reads this file: see
// unfolded.test.

// The window is B: rows of channels and filters, columns of pixels. No matrix of it is in memory.
// CHECK:       #{{.*}} = affine_map<(d0, d1, d2, d3, d4)[s0] -> (s0, d0, d1 + d3 - 1, d2 + d4 - 1)>
// CHECK-LABEL: aicore.kernel @pixels_are_columns
// CHECK-NOT:     aicore.workspace
// CHECK:         cpu.product %w[{{.*}}] along [0, 3], %x[{{.*}}] along [-1, -1]
// CHECK-SAME:      window #{{.*}} digits [3, 2]
kernel pixels_are_columns(x: f32[B, C, H, W], w: f32[O, C, 3, 3]) -> y: f32[B, O, H, W] {
  y = conv2d(x, w, 1, 1, 1);
}

// It is A: rows of pixels of all images, columns of channels and filters.
// CHECK:       #{{.*}} = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3 - 1, d2 + d4 - 1, d5)>
// CHECK-LABEL: aicore.kernel @pixels_are_rows
// CHECK-NOT:     aicore.workspace
// CHECK:         cpu.product %x[{{.*}}] along [-1, -1], %w[
// CHECK-SAME:      window #{{.*}} digits [3, 3]
kernel pixels_are_rows(x: f32[B, H, W, C], w: f32[3, 3, C, O]) -> y: f32[B, H, W, O] {
  y = conv2d_nhwc(x, w, 1, 1, 1);
}

// Elements of bf16 are searched for denormals before they are packed, in a copy; and one outside is
// not 0.
// CHECK-LABEL: aicore.kernel @copied
// CHECK-COUNT-2: aicore.workspace
// CHECK-NOT:     digits
kernel copied(x: bf16[B, C, L], w: bf16[O, C, 3], u: f32[B, C, L], v: f32[O, C, 3]) -> y: f32[B, O, L], z: f32[B, O, L] {
  y[b, o, l] = sum[c, t](pad(x, 0)[b, c, l + t - 1] * w[o, c, t]);
  z[b, o, l] = sum[c, t](pad(u, 1)[b, c, l + t - 1] * v[o, c, t]);
}
