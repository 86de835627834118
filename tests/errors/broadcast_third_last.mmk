// Dimensions far from the last are counted in words.
kernel k(a: f32[B, M, N], b: f32[C, M, N]) -> c: f32[B, M, N] {
  c = a + b;
}
