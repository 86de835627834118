// A window of three dimensions in groups has nine variables.
kernel k(x: f16[B, G, C, D, H, W], w: f16[G, O, C, 3, 3, 3]) -> y: f32[B, G, O, D, H, W] {
  y[n, g, o, d, p, q] = sum[c, t, r, s](pad(x, 0)[n, g, c, d + t - 1, p + r - 1, q + s - 1] * w[g, o, c, t, r, s]);
}
