// Behind the bar stands a condition.
kernel k(x: f32[M, N]) -> y: f32[M] {
  y[i] = sum[j | j + i](x[i, j]);
}
