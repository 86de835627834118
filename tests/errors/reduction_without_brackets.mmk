// Which dimension is summed is not said.
kernel k(a: f32[M, N]) -> c: f32[M] {
  c = sum(a);
}
