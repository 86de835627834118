// Taps and channels of the weights are one dimension, but windows that the cube core loads go along them apart.
// mmk run taps_of_merged_weights.mmk --machine ascend910b3 --set window=direct
// mmk run taps_of_merged_weights.mmk --machine ascend950pr --set window=direct(32)
kernel sample(x: bf16[B, X0, X1, C], w: bf16[T0, T1, C, O]) -> y: bf16[B, 1, 2, O] {
  y[n, p, q, o] = sum[r, s, c](x[n, p + r, 3*q + 3*s, c] * w[r, s, c, o]);

  case one  { B = 1; C = 1; O = 1; X0 = 1; T0 = 1; X1 = 7; T1 = 2; }
  case wide { B = 2; C = 40; O = 33; X0 = 3; T0 = 3; X1 = 10; T1 = 2; }
}
