// Comparisons of two shapes that do not stretch.
kernel k(a: f32[M, N], b: f32[M]) -> c: f32[M, N] {
  c = select(a > 0 || b > 0, a, 0);
}
