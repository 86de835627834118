// A comparison is not a number.
kernel k(a: f32[N]) -> c: f32[N] {
  c = a * (a > 0);
}
