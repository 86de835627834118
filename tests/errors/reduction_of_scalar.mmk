// A scalar has no dimension.
kernel k(a: f32[N], s: f32 = 1) -> c: f32[N] {
  c = a * sum[N](s);
}
