// A mistyped name.
kernel k(a: f32[N], bias: f32[N]) -> c: f32[N] {
  c = a + bais;
}
