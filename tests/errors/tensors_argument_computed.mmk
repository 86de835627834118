// In index notation a computed image has a name.
kernel pool(x: f32[B, C, H, W]) -> y: f32[B, C, P, Q] {
  dim P = H / 2;
  dim Q = W / 2;
  y[n, c, p, q] = max_pool(2 * x, 2, 2)[n, c, p, q];
}
