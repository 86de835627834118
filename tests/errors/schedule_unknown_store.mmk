// There are two ways to store.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    store = before;
  }
}
