// q counts the columns of y, and the pooled image has fewer.
kernel pool(x: f32[B, C, H, W]) -> y: f32[B, C, H, W] {
  y[n, c, p, q] = x[n, c, p, q] - max_pool(x, 2, 2)[n, c, p, q];
}
