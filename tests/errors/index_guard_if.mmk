// A condition follows a bar.
kernel causal(x: f32[M, N]) -> y: f32[M] {
  y[i] = sum[j if j <= i](x[i, j]);
}
