// The number does not fit f32.
kernel k(a: f32[N]) -> c: f32[N] {
  c = a + 1e40;
}
