// Dimensions further from the last are counted in numbers.
kernel k(a: f32[A, B, M, N], b: f32[C, B, M, N]) -> c: f32[A, B, M, N] {
  c = a + b;
}
