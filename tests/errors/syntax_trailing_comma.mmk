// A comma must be followed by a parameter.
kernel k(a: f32[N],) -> c: f32[N] {
  c = a;
}
