// A function is inlined, and this one never ends.
fn f(x) = f(x - 1) + 1;

kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = f(a @ b);
}
