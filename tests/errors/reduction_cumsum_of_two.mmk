// Elements follow each other along one dimension.
kernel k(a: f32[M, N]) -> c: f32[M, N] {
  c = cumsum[M, N](a);
}
