// A range belongs to where a variable is introduced.
kernel k(x: f32[M, N]) -> y: f32[M, N] {
  y[i, j] = x[i, j: N];
}
