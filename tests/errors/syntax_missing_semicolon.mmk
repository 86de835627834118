// The statement before `c` never ends.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  let x = a @ b
  c = x;
}
