// No name needs so many letters.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  let xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx = a @ b;
  c = a @ b;
}
