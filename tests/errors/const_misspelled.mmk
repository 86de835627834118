// Words before a type are not made up.
kernel gemm(a: f32[M, K], w: constant f32[K, N]) -> c: static f32[M, N] {
  c = a @ w;
}
