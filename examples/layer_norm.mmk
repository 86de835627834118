// Layer normalisation of each row: the mean and the variance, and what follows from them.
kernel layer_norm(x: f16[M, N], weight: f32[N], bias: f32[N]) -> y: f16[M, N] {
  y = layer_norm[N](x, weight, bias, 0.00001);

  case one    { M = 1; N = 1; }
  case ragged { M = 231; N = 1001; }
  case layer  { M = 4096; N = 1024; }
  case wide   { M = 100; N = 12000; }
  check { rtol = 2e-3; atol = 2e-3; }
}
