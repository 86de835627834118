// A condition is no stride.
kernel pool(x: f32[B, C, H, W], large: int = 1) -> y: f32[B, C, P, Q] {
  dim P = H - 1;
  dim Q = W - 1;
  y = max_pool(x, 2, large > 1);
}
