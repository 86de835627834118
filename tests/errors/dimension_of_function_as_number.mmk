// A dimension of a function may stand for several.
fn average[D](x) = sum[D](x) / D;

kernel k(a: f32[M, N]) -> c: f32[M] {
  c = average[N](a);
}
