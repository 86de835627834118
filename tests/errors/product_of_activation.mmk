// An activation is f32, and the other side is f16.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = relu(a) @ b;
}
