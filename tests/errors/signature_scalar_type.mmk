// Scalars are computed with as f32, so that is what they are.
kernel k(a: f32[N], alpha: f16) -> c: f32[N] {
  c = alpha * a;
}
