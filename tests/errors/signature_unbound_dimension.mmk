// P is in no parameter, so its size is unknown at run time.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, P] {
  c = a @ b;
}
