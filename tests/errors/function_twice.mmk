// Two functions share a name.
fn f(x) = x;
fn f(x) = 2 * x;

kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = f(a @ b);
}
