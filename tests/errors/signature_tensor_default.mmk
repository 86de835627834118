// A default is one number, and a tensor is many.
kernel k(a: f32[N], b: f32[N] = 1) -> c: f32[N] {
  c = a + b;
}
