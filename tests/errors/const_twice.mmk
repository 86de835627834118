// One `const` says it all.
kernel gemm(a: f32[M, K], w: const const f32[K, N]) -> c: f32[M, N] {
  c = a @ w;
}
