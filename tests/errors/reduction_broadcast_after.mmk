// The sum over rows stays as one row, which columns of M cannot take.
kernel shares(x: f32[M, N]) -> y: f32[N, M] {
  y = x / sum[M](x);
}
