// Rows are divided along C, and H and W are one in memory: loads said that they go over two dimensions, of three.
// mmk run parts_of_a_joined_dimension.mmk B=2 G=3 C=5 H=7 W=33 --machine ascend310p3 --set grid.C=4
kernel k(x: f16[B, G, C, H, W], weight: f32[G, C, 1, 1]) -> y: f16[B, G, C, H, W] {
  y = (x - mean[C, H, W](x)) * weight;
}
