// A remainder has no operator.
kernel k(a: f32[N]) -> c: f32[N] {
  c = a % 2;
}
