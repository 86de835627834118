// j is summed once.
kernel k(x: f32[M, N]) -> y: f32[M] {
  y[i] = sum[j, j](x[i, j]);
}
