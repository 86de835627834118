// A seed is a whole number.
kernel k(x: f32[M], seed: f32) -> y: f32[M] {
  y[i] = dropout[i](x[i], 0.5, seed);
}
