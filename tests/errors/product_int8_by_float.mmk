// Whole numbers and floats do not multiply.
kernel gemm(a: i8[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
}
