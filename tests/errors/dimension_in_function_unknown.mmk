// A function knows the dimensions in its own brackets.
fn total[D](x) = sum[D](x) + sum[M](x);

kernel k(a: f32[M, N]) -> c: f32[M, N] {
  c = a + total[N](a);
}
