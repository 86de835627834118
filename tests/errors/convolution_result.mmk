// With a stride of 2 the result is smaller than the image.
kernel k(x: f16[B, C, H, W], w: f16[O, C, 3, 3]) -> y: f32[B, O, H, W] {
  y = conv2d(x, w, 2, 1, 1);
}
