// The scalar is f32.
kernel k(a: f32[N], alpha: f32) -> c: f32[N] {
  c = alpha * a;
  case S { N = 4; alpha = -1e99; }
}
