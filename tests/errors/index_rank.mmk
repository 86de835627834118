// A matrix has two indices.
kernel k(x: f32[M, N]) -> y: f32[M] {
  y[i] = x[i];
}
