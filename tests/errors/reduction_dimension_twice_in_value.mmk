// Which of the two is meant is not said.
kernel k(a: f32[B, N, N]) -> c: f32[B, N] {
  c = sum[N](a);
}
