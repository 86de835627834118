// The reference rounds halves of the weights that the loop of products rounds: equal weights differ
// by equal roundings, which add up.
// mmk run equal_weights.mmk H=4 N=980 M=17 D=8 E=1 --machine ascend310p3 --set fuse=products --set tile.E=16 --set tile.M=16 --set tile.N=128 --set reduce=online --data integers --seed 745
kernel sample(bound: i32 = 980, q: f16[M, H, D], k: f16[H, N, D], v: f16[H, N, E]) -> y: f16[H, M, E], y2: f32[H, M, D], l: f32[H, M] {
  let s[h, i, j] = 0.35355339059327373 * sum[d](q[i, h, d] * k[h, j, d]);
  let t0[h, i, j] = 0.5 * tanh(s[h, i, j] / 0.5);
  let t1[h, i, j] = t0[h, i, j] * 0.5;
  let t2[h, i, j] = t1[h, i, j] * -1;
  let p[h, i, j] = softmax[j | j < bound](t2[h, i, j]);
  let o[h, i, e] = sum[j | j < bound](cast<f16>(p[h, i, j]) * v[h, j, e]);
  y[h, i, e] = o[h, i, e];
  let p2[h, i, j] = 0.5 * p[h, i, j];
  y2[h, i, d] = sum[j | j < bound](cast<f16>(p2[h, i, j]) * k[h, j, d]);
  l[h, i] = logsumexp[j | j < bound](t2[h, i, j]);
}
