// Two products of the same weights on a coupled chip: with one copy of the accumulator the cube waited
// for the second while the vector unit waited for both.
// mmk run two_second_products.mmk H=2 G=1 N=70 M=20 D=16 --machine ascend310p3 --set fuse=products --set buffers.acc=1
// mmk run two_second_products.mmk H=1 G=1 N=1 M=1 D=1 --machine ascend310p3 --set fuse=products --set buffers.acc=1
kernel sample(q: f16[H, M, D], k: f16[G, D, N], v: f16[G, N, D]) -> y: f32[H, M, D], y2: f16[H, M, D] {
  let s[h, i, j] = 0.11180339887498948 * sum[d](q[h, i, d] * k[h / 2, d, j]);
  let p[h, i, j] = softmax[j | j <= i + 4](s[h, i, j]);
  let o[h, i, e] = sum[j | j <= i + 4](cast<f16>(p[h, i, j]) * v[h / 2, j, e]);
  y[h, i, e] = o[h, i, e];
  let p2[h, i, j] = 0.5 * p[h, i, j];
  y2[h, i, d] = sum[j | j <= i + 4](cast<f16>(p2[h, i, j]) * k[h / 2, d, j]);
}
