// One value is reduced.
kernel k(x: f32[M, N]) -> y: f32[M] {
  y[i] = sum[j](x[i, j], 2);
}
