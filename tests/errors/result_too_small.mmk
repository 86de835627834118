// A result is not summed to a smaller shape.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[N] {
  c = a @ b;
}
