// The result says what i ranges over.
kernel k(x: f32[M], z: f32[N]) -> y: f32[M] {
  y[i: N] = z[i];
}
