// The rows differ.
kernel k(a: f32[M, N], b: f32[P, N]) -> c: f32[M, N] {
  c = a + b;
}
