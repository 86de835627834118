// A length is no condition.
kernel weighted(p: f16[B, M, N], v: f16[B, N, D], length: i32[B]) -> o: f16[B, M, D] {
  o[b, i, d] = sum[j | length[b]](p[b, i, j] * v[b, j, d]);
}
