// The kernel declares a result and never assigns it.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  let x = a @ b;
}
