// Both operands of a Gram matrix have the same columns.
fn dots(x[M, K], y[N, K])[i, j] = sum[k](x[i, k] * y[j, k]);
kernel gram(a: f32[M, A], b: f32[N, B]) -> c: f32[M, N] {
  c = dots(a, b);
}
