// Values have as many columns as rows, so both are N: parts of the rows took parts of the columns, too.
// mmk run keys_as_many_as_columns.mmk H=1 M=2 D=1 N=33 --machine ascend910b3 --set fuse=products --set grid.N=3 --data integers --seed 490
kernel k(q: f16[H, M, D], k: f16[H, N, D], v: f16[H, N, N]) -> y: f32[H, M, N] {
  let s[h, i, j] = 0.125 * sum[d](q[h, i, d] * k[h, j, d]);
  let p[h, i, j] = softmax[j](s[h, i, j]);
  y[h, i, e] = sum[j](cast<f16>(p[h, i, j]) * v[h, j, e]);
}
