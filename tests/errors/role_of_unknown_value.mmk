// The value is called s.
kernel gram(x: f16[M, K]) -> c: f32[M, M] {
  let s[i, j] = sum[k](x[i, k] * x[j, k]);
  c[i, j] = relu(s[i, j]);
  schedule { tile t.i = 64; }
}
