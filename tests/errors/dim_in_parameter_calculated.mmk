// A parameter's dimension is bound, not calculated.
kernel pairs(x: f32[H], w: f32[H + 1]) -> y: f32[H] {
  y[i] = x[i] * w[i + 1];
}
