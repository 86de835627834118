// A column of the product is a row of the transposed one, which starts from it; the check took the order for a fault.
// mmk run bias_of_a_transposed_product.mmk B=2 C=2 O=40 G=3 X0=13 T0=3 --machine ascend910b3 --set tile.CR0=32 --set stage.CR0=96 --set tile.O=32 --set tile.P0=48 --set window=direct(32) --set bias=table --data normal --seed 1
kernel k(x: bf16[B, G, C, X0], w: const bf16[G, O, C, T0], bias: f32[G, O], residual: f32[B, G, O, P0]) -> y: f32[B, G, O, P0] {
  dim P0 = (X0 + 4 - 2*(T0 - 1) - 1) / 1 + 1;
  y[n, g, o, p0] = max(sum[c, r0](pad(x, 0)[n, g, c, 1*p0 + 2*r0 - 2] * w[g, o, c, r0]) + bias[g, o], residual[n, g, o, p0]);
}
