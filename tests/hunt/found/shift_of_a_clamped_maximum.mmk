// On the host, the ratio from one maximum to the next was 1 where exponents lack a function of the
// maximum, not the maximum itself.
// mmk run shift_of_a_clamped_maximum.mmk M=1 N=400 D=3 --machine host --set fuse=products --data integers --seed 36
kernel sample(q: f32[M, D], k: f32[N, D], v: f32[N, D]) -> y: f32[M, D] {
  let s[i, j] = 0.17677669529663687 * sum[d](q[i, d] * k[j, d]);
  let most[i] = max(max[j](s[i, j]), 0);
  let x[i, j] = exp(s[i, j] - most[i]);
  let p[i, j] = x[i, j] / (exp(-most[i]) + sum[j](x[i, j]));
  y[i, e] = sum[j](p[i, j] * v[j, e]);
}
