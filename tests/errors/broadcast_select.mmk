// The condition has another shape than what it chooses from.
kernel k(a: f32[M, N], b: f32[K, N]) -> c: f32[M, N] {
  c = select(b > 0, a, 0);
}
