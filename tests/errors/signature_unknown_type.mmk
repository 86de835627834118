// There is no 64-bit float.
kernel k(a: f64[N]) -> c: f32[N] {
  c = a;
}
