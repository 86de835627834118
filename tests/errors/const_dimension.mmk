// A dimension is constant by its number.
kernel layer(x: f16[M, K], w: const[K, N]) -> y: f32[M, N] {
  y = x @ w;
}
