// The channels of the image and of the weights are one dimension.
kernel k(x: f16[B, C, H, W], w: f16[O, I, 3, 3]) -> y: f32[B, O, H, W] {
  y = conv2d(x, w, 1, 1, 1);
}
