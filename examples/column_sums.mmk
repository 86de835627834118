// The sum of each column, such as the gradient of a bias.
kernel column_sums(x: f16[M, N]) -> sums: f32[N] {
  sums = sum[M](x);

  case one    { M = 1; N = 1; }
  case ragged { M = 1001; N = 33; }
  case layer  { M = 8192; N = 1024; }
  check { rtol = 1e-4; atol = 1e-4; }
}
