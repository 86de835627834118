// The pooled image has four dimensions.
kernel pool(x: f32[B, C, H, W]) -> y: f32[C, P, Q] {
  dim P = H / 2;
  dim Q = W / 2;
  y[c, p, q] = max_pool(x, 2, 2)[c, p, q];
}
