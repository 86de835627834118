// A value has at most eight dimensions.
kernel k(x: f32[M, N, O, P, Q]) -> y: f32[M] {
  y[i] = sum[a, b, c, d, e, f, g, h](x[i, a, b, c, d] - x[e, a, f, g, h]);
}
