// The sums are exact; with a bias in front of them they are not. The check looked for the product right in the sum
// with the bias, but it stands there in the form of the merged pixels.
// mmk run bias_of_few_terms.mmk B=1 C=3 O=17 X0=33 T0=1 X1=2 T1=1 --machine ascend910b3 --set bias=table --data normal --seed 1
kernel k(x: bf16[B, C, X0, X1], w: bf16[O, C, T0, T1], bias: f32[O]) -> y: f32[B, O, P0, P1] {
  dim P0 = X0 - T0 + 1;
  dim P1 = X1 - T1 + 1;
  y[n, o, p0, p1] = sum[c, r0, r1](pad(x, 0)[n, c, p0 + r0, p1 + r1] * w[o, c, r0, r1]) + bias[o];
}
