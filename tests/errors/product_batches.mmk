// Two batches of different length.
kernel k(a: f16[B, M, K], b: f16[C, K, N]) -> c: f32[B, M, N] {
  c = a @ b;
}
