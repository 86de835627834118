// There is a single column.
kernel dots(x: f16[M, K], w: f16[1, K]) -> c: f32[M, 1] {
  c[i, j] = sum[k](x[i, k] * w[j, k]);
  schedule { tile c.i = 64, c.j = 16; }
}
