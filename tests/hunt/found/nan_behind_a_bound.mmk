// The last element of v is NaN, behind the bound of the loop: with the columns of two products divided
// over the cores, it was multiplied.
// mmk run nan_behind_a_bound.mmk H=1 G=1 N=42 M=1 D=1 --machine ascend910b3 --set fuse=products --set grid.N=2 --input v=nan_behind_a_bound.npy
kernel k(bound: i32 = 41, q: f32[3, H, M, D], k: f32[3, N, G, D], v: f32[3, N, G, D], bias0: bf16[3, H, M]) -> y: f32[3, H, M, D] {
  let s[b, h, i, j] = 0.08838834764831843 * sum[d](q[b, h, i, d] * k[b, j, h / 2, d]);
  let t0[b, h, i, j] = s[b, h, i, j] + bias0[b, h, i];
  let p[b, h, i, j] = dropout[b, h, i, j](exp(t0[b, h, i, j] - max[j | j < bound](t0[b, h, i, j])), 0.25, 7);
  let o[b, h, i, e] = sum[j | j < bound](cast<f32>(p[b, h, i, j]) * v[b, j, h / 2, e]);
  y[b, h, i, e] = o[b, h, i, e];
}
