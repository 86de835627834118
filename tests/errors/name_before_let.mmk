// The value is read before it is defined.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = relu(x);
  let x = a @ b;
}
