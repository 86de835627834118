// Keys are as many as their elements, so both are N: the first product of a part summed over a part of its depth.
// mmk run keys_as_many_as_the_depth.mmk H=1 M=2 E=5 N=130 --machine ascend910b3 --set fuse=products --set grid.N=2
kernel k(q: f16[H, M, N], k: f16[H, N, N], v: f16[H, N, E]) -> y: f32[H, M, E] {
  let s[h, i, j] = 0.125 * sum[d](q[h, i, d] * k[h, j, d]);
  let p[h, i, j] = softmax[j](s[h, i, j]);
  y[h, i, e] = sum[j](cast<f16>(p[h, i, j]) * v[h, j, e]);
}
