// The size of a window is part of the kernel, so no f32 gives it.
kernel pool(x: f32[B, C, H, W], k: f32) -> y: f32[B, C, H, W] {
  y = max_pool(x, k, 1);
}
