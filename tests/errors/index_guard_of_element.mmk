// A condition belongs to a reduction.
kernel k(x: f32[M, N]) -> y: f32[M, N] {
  y[i, j] = x[i, j | j <= i];
}
