// Sample 5 of seed 31 of convolutions: the elementwise work behind the product split its dimensions [5, 15]
// as [75, 15], as the result has a dimension of 1 between them.
// mmk run unit_between_merged_dimensions.mmk B=1 C=1 O=1 T0=1 X1=1 T1=1 X2=1 --machine ascend910b3 --data integers --seed 5
// mmk run unit_between_merged_dimensions.mmk B=1 C=1 O=1 T0=1 X1=1 T1=1 X2=1 --machine host --data integers --seed 5
kernel sample(x: f16[B, C, 2, X1, X2], w: f16[O, C, T0, T1, 7]) -> y: f32[B, O, 5, 1, 15] {
  y[n, o, p0, p1, p2] = max(sum[r0, r1, r2, c](pad(x, 0)[n, c, 1*p0 + 1*r0 - 3, 1*p1 + 2*r1 - 0, 1*p2 + 3*r2 - 3] * w[o, c, r0, r1, r2]), 0);
}
