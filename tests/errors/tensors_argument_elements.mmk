// The argument is the whole image, not an element of it.
kernel pool(x: f32[B, C, H, W]) -> y: f32[B, C, P, Q] {
  dim P = H / 2;
  dim Q = W / 2;
  y[n, c, p, q] = max_pool(x[n, c, p, q], 2, 2)[n, c, p, q];
}
