// Three functions call each other in a circle.
fn f(x) = g(x);
fn g(x) = h(x) + 1;
fn h(x) = 2 * f(x);

kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = f(a @ b);
}
