// A vector has no rows and columns.
kernel k(a: f16[M, K], x: f16[K]) -> y: f32[M] {
  y = a @ x;
}
