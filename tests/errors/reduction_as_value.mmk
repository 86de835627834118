// A reduction is no value.
kernel k(a: f32[M, N]) -> c: f32[M] {
  c = a * mean;
}
