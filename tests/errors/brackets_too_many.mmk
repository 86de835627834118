// Two dimensions of a function are two words.
fn spread[D, E](x) = max[D](x) - min[E](x);

kernel k(a: f32[M, N]) -> c: f32[M, N] {
  c = a + spread[M](a);
}
