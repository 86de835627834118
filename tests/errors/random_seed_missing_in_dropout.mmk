// dropout takes the probability and the seed.
kernel drop(x: f32[M, N]) -> y: f32[M, N] {
  y = dropout[M, N](x, 0.1);
}
