// A size has no elements.
kernel k(x: f32[M]) -> y: f32[M] {
  y[i] = x[i] + M[i];
}
