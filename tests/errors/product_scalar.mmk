// A scalar has no rows and columns.
kernel k(a: f16[M, K], alpha: f32) -> y: f32[M, K] {
  y = alpha @ a;
}
