// The check took the rounding of these weights, which have another power of two before the division,
// for half of what it may be.
// mmk run weights_of_another_binade.mmk H=7 G=2 N=9 D=32 --machine host --data integers --seed 35
kernel sample(q: bf16[H, 129, D], k: bf16[N, G, D], v: bf16[G, N, D], other: f32[H]) -> y: bf16[H, 129, D] {
  let s[h, i, j] = 0.17677669529663687 * sum[d](q[h, i, d] * k[j, h / 4, d]);
  let p[h, i, j] = dropout[h, i, j](s[h, i, j] / sqrt(1 + sum[j | j <= i + N - 129](square(s[h, i, j]))), 0.25, 7);
  let o[h, i, e] = sum[j | j <= i + N - 129](cast<bf16>(p[h, i, j]) * v[h / 4, j, e]);
  y[h, i, e] = o[h, i, e] + other[h];
}
