// The default does not fit the scalar.
kernel k(a: f32[N], alpha: f32 = 1e39) -> c: f32[N] {
  c = alpha * a;
}
