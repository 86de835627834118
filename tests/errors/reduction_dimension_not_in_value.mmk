// The value has no such dimension.
kernel k(a: f32[M, N], b: f32[K]) -> c: f32[M] {
  c = sum[K](a) + b;
}
