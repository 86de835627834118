// Scalars are used as f32, so they are declared as f32.
kernel k(a: f32[N], alpha: f16) -> c: f32[N] {
  c = alpha * a;
}
