// A result holds numbers.
kernel k(a: f32[N]) -> c: f32[N] {
  c = a > 0;
}
