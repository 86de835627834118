// A statement of elements reads elements.
kernel k(x: f32[M, N], z: f32[M, N]) -> y: f32[M, N] {
  y[i, j] = x[i, j] + z;
}
