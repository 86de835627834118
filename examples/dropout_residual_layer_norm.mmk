// The end of a layer while a network is trained: dropout, the residual, and the norm of their sum.
// One pass: the random numbers are computed where they are used, the same on every machine.
kernel dropout_residual_layer_norm(
  x:        f16[M, N],
  residual: f16[M, N],
  weight:   f32[N],
  bias:     f32[N],
  seed:     i32 = 1,
  p:        f32 = 0.1
) -> sum: f16[M, N], y: f16[M, N] {

  let total = residual + dropout[M, N](x, p, seed);
  sum = total;
  y   = layer_norm[N](total, weight, bias, 0.00001);

  case one    { M = 1; N = 1; }
  case ragged { M = 61; N = 1003; }
  case layer  { M = 4096; N = 1024; }
  check { rtol = 2e-3; atol = 2e-3; }
}
