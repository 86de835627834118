// P is in no parameter, so that nothing at run time says how large it is.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, P] {
  c = a @ b;
}
