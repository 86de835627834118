// A contraction in index notation: two indices are summed, and the result is transposed.
kernel einsum(x: f16[L, M, K], y: f16[K, N, L]) -> z: f32[N, M] {
  z[j, i] = sum[k, l](x[l, i, k] * y[k, j, l]);

  case one    { L = 1; M = 1; N = 1; K = 1; }
  case ragged { L = 3; M = 33; N = 17; K = 50; }
  case layer  { L = 4; M = 512; N = 256; K = 128; }
  check { rtol = 1e-4; atol = 1e-4; }
}
