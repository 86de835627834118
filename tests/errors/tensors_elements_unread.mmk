// With index variables, the elements of the pooled image are read.
kernel pool(x: f32[B, C, H, W], b: f32[C]) -> y: f32[B, C, P, Q] {
  dim P = H / 2;
  dim Q = W / 2;
  y[n, c, p, q] = max_pool(x, 2, 2) + b[c];
}
