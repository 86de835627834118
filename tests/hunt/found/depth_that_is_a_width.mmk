// On a small L0B the default tile along N was 8, the depth of f32: half a fractal of columns of the
// first product.
// mmk run depth_that_is_a_width.mmk B=1 H=1 M=1 N=1 K=83 P=1 --machine-set memories.l0b.bytes=*0.25 --set tile.P=128
kernel sample(a: f32[B, H, M, K], b: f32[B, H, K, N], d: f32[N, P]) -> y0: f32[B, H, M, P] {
  let acc = (a @ b);
  let h = cast<f32>(clamp(floor(acc), -4, 4));
  let chained = (h @ d);
  y0 = gelu_tanh(clamp(chained, -8, 8));
}
