// An assignment is for results; other values are named with let.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  acc = a @ b;
  c = a @ b;
}
