// A tensor has at most 8 dimensions.
fn sums(x[A, B, C, D, E, F, G, H, I])[a] = sum[b, c, d, e, f, g, h, i](x[a, b, c, d, e, f, g, h, i]);
kernel rows(x: f32[M]) -> y: f32[M] {
  y = sums(x);
}
