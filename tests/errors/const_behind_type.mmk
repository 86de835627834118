// const stands before the type.
kernel layer(x: f16[M, K], w: f16 const[K, N]) -> y: f32[M, N] {
  y = x @ w;
}
