// The function takes two arguments.
fn scaled(x, factor) = factor * x;

kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = scaled(a @ b, 2, 3);
}
