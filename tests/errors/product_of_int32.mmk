// The cube does not multiply i32.
kernel gemm(a: i32[M, K], b: i32[K, N]) -> c: f32[M, N] {
  c = a @ b;
}
