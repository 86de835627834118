// A row whose scores are all -inf has no weights, which dropout makes 0 in part: its result was 0.
// mmk run dropped_row_of_infinities.mmk H=2 M=5 N=3 D=16
// mmk run dropped_row_of_infinities.mmk H=2 M=5 N=3 D=16 --machine ascend310p3
// mmk run dropped_row_of_infinities.mmk H=2 M=5 N=3 D=16 --machine host
// mmk run dropped_row_of_infinities.mmk H=1 M=20 N=70 D=16 --set grid.N=4 --set tile.N=16
// mmk run dropped_row_of_infinities.mmk H=1 M=20 N=70 D=16 --set grid.N=4 --machine host
kernel sample(q: f16[H, M, D], k: f16[H, N, D], v: f16[H, N, D], mask: i8[H, M]) -> y: f32[H, M, D] {
  let s[h, i, j] = 0.125 * sum[d](q[h, i, d] * k[h, j, d]);
  let t[h, i, j] = select(mask[h, i] > 0, s[h, i, j], -inf);
  let p[h, i, j] = dropout[h, i, j](softmax[j](t[h, i, j]), 0.5, 7);
  y[h, i, e] = sum[j](cast<f16>(p[h, i, j]) * v[h, j, e]);
  schedule {
    fuse = products;
  }
}
