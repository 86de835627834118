// Rows of a product are whole fractals in each role.
kernel gram(x: f16[M, K]) -> c: f32[M, M] {
  c[i, j] = sum[k](x[i, k] * x[j, k]);
  schedule { tile c.i = 100, c.j = 128; }
}
