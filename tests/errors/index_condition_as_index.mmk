// An index is a number.
kernel k(x: f32[M]) -> y: f32[M] {
  y[i] = x[i < 2];
}
