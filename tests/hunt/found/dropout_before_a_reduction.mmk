// The reduction that says whether dropout leaves weights followed another one of the row, whose parts it took.
// mmk run dropout_before_a_reduction.mmk H=1 G=1 N=1 M=3 D=1 --set fuse=products --set grid.N=3
kernel sample(q: f16[M, H, D], k: f16[G, N, D], v: f16[G, N, D]) -> y: bf16[H, M, D], l: f32[H, M] {
  let s[h, i, j] = 0.125 * sum[d](q[i, h, d] * k[h / 4, j, d]);
  let most[h, i] = max(max[j](s[h, i, j]), 0);
  let x[h, i, j] = exp(s[h, i, j] - most[h, i]);
  let p[h, i, j] = dropout[h, i, j](x[h, i, j] / (exp(-most[h, i]) + sum[j](x[h, i, j])), 0.25, 7);
  let o[h, i, e] = sum[j](cast<f16>(p[h, i, j]) * v[h / 4, j, e]);
  y[h, i, e] = o[h, i, e];
  l[h, i] = logsumexp[j](s[h, i, j]);
}
