// Nothing of that name is here.
kernel k(a: f32[N], bias: f32[N]) -> c: f32[N] {
  c = a + bias * gamma;
}
