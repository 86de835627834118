// Names are case-sensitive.
kernel k(a: f32[N], bias: f32[N]) -> c: f32[N] {
  c = a + Bias;
}
