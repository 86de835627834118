// A product is f32, and the next factor is f16.
kernel chain(a: f16[M, K], b: f16[K, N], w: f16[N, P]) -> c: f32[M, P] {
  c = a @ b @ w;
}
