// N is a dimension, and also a scalar.
kernel k(a: f32[N], N: f32) -> c: f32[N] {
  c = a * N;
}
