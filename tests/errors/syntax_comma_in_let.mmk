// A let defines one name.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  let x, y = a @ b;
  c = x;
}
