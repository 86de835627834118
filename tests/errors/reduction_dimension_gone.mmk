// The dimension is reduced already.
kernel k(a: f32[M, N]) -> c: f32[M] {
  let s = sum[N](a);
  c = max[N](s);
}
