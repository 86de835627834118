// A reduction goes over variables.
kernel k(x: f32[M, N]) -> y: f32[M] {
  y[i] = sum[j + 1](x[i, j]);
}
