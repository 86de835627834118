// A dimension must fit 31 bits.
kernel k(a: f32[3000000000]) -> c: f32[1] {
  c = a;
}
