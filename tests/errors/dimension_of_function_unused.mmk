// The dimension is read nowhere.
fn twice[D](x) = 2 * x;

kernel k(a: f32[M, N]) -> c: f32[M, N] {
  c = twice[N](a);
}
