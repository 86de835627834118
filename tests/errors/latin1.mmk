// Latin-1.
kernel k(a: f32[N]) -> c: f32[N] {
  c = a; // café
}
