// The let would hide the parameter.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  let a = 2;
  c = a @ b;
}
