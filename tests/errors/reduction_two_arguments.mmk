// A reduction has one argument.
kernel k(a: f32[M, N], b: f32[M, N]) -> c: f32[M] {
  c = sum[N](a, b);
}
