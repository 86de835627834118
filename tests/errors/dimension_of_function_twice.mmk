// Two dimensions of one name.
fn total[D, D](x) = sum[D](x);

kernel k(a: f32[M, N]) -> c: f32[M] {
  c = total[N, N](a);
}
