// A condition is no further variable.
kernel causal(x: f32[M, N]) -> y: f32[M] {
  y[i] = sum[j, j <= i](x[i, j]);
}
