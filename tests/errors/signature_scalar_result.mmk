// A scalar result takes one element.
kernel k(a: f32[N]) -> c: f32 {
  c = a;
}
