// A stride is known when the kernel is compiled.
kernel k(x: f16[B, C, H, W], w: f16[O, C, 3, 3], stride: i32 = 2) -> y: f32[B, O, P, Q] {
  dim P = (H - 1) / 2 + 1;
  dim Q = (W - 1) / 2 + 1;
  y = conv2d(x, w, stride, 1, 1);
}
