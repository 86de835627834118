// A stride is whole.
kernel pool(x: f32[B, C, H, W]) -> y: f32[B, C, H, W] {
  y = max_pool(x, 2, 0.5);
}
