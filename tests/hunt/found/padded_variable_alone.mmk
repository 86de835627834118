// A variable that is an index alone, of a range that is longer than the padded dimension.
// mmk run padded_variable_alone.mmk X0=5 T0=1 X1=1 T1=2 --machine host
kernel sample(x: f32[2, 16, X0, X1], w: f32[8, 16, T0, T1]) -> y: f32[2, 8, 15] {
  y[n, o, p] = sum[c, r0, r1](pad(x, 0)[n, c, 3*p + 1*r0, r1] * w[o, c, r0, r1]);
}
