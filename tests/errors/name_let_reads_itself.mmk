// A let has no value before it is defined.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  let x = x + 1;
  c = a @ b + x;
}
