// A statement is in one notation.
kernel k(x: f32[M, N]) -> y: f32[M] {
  y[i] = sum[N](x[i, j]);
}
