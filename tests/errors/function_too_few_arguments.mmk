// leaky_relu needs to know its slope.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = leaky_relu(a @ b);
}
