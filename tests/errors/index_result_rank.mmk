// A matrix has rows and columns.
kernel k(x: f32[M, N]) -> y: f32[M, N] {
  y[i] = x[i, i];
}
