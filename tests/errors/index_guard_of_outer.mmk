// k is not known where the condition stands.
kernel causal(x: f32[M, N]) -> y: f32[M] {
  y[i] = sum[j | j <= k](x[i, j]);
}
