// Dimensions are upper-case names.
kernel k(a: f32[n]) -> c: f32[n] {
  c = a;
}
