// Two values have a larger one, a dimension has a maximum.
kernel k(a: f32[M, N]) -> c: f32[M] {
  c = max(a);
}
