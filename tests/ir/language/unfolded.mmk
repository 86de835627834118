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

// A filter of one pixel leaves pixels out: its dimensions of 1 are no part of the window.
// CHECK:       #{{.*}} = affine_map<(d0, d1, d2)[s0, s1, s2] -> (s0, d0, d1 * 2, d2 * 2)>
// CHECK-LABEL: aicore.kernel @pixels_apart
// CHECK-NOT:     aicore.workspace
// CHECK:         cpu.product %w[{{.*}}] along [0, 3], %x[{{.*}}] along [-1, -1]
// CHECK-SAME:      window #{{.*}} digits [1, 2]
kernel pixels_apart(x: bf16[B, C, H, W], w: bf16[O, C, 1, 1]) -> y: f32[B, O, P, Q] {
  dim P = (H - 1) / 2 + 1;
  dim Q = (W - 1) / 2 + 1;
  y[b, o, p, q] = sum[c, r, s](pad(x, 0)[b, c, 2*p + r, 2*q + s] * w[o, c, r, s]);
}

// CHECK-LABEL: aicore.kernel @pixels_apart_as_rows
// CHECK-NOT:     aicore.workspace
// CHECK:         cpu.product %x[{{.*}}] along [-1, -1], %w[
// CHECK-SAME:      window #{{.*}} digits [3, 1]
kernel pixels_apart_as_rows(x: i8[B, H, W, C], w: const i8[1, 1, C, O]) -> y: i32[B, P, Q, O] {
  dim P = (H - 1) / 2 + 1;
  dim Q = (W - 1) / 2 + 1;
  y[b, p, q, o] = sum[r, s, c](pad(x, 0)[b, 2*p + r, 2*q + s, c] * w[r, s, c, o]);
}

// In any order of the sum. The weights are copied into that order.
// CHECK-LABEL: aicore.kernel @channels_before_taps
// CHECK:         cpu.product %x[{{.*}}] along [-1, -1], %
// CHECK-SAME:      window #{{.*}} digits [3, 1]
kernel channels_before_taps(x: f32[B, H, W, C], w: f32[O, 1, 1, C]) -> y: f32[B, P, Q, O] {
  dim P = (H - 1) / 2 + 1;
  dim Q = (W - 1) / 2 + 1;
  y[b, p, q, o] = sum[c, r, s](pad(x, 0)[b, 2*p + r, 2*q + s, c] * w[o, r, s, c]);
}

// An element outside is not 0.
// CHECK-LABEL: aicore.kernel @copied
// CHECK:         aicore.workspace
// CHECK-NOT:     digits
kernel copied(u: f32[B, C, L], v: f32[O, C, 3]) -> z: f32[B, O, L] {
  z[b, o, l] = sum[c, t](pad(u, 1)[b, c, l + t - 1] * v[o, c, t]);
}
