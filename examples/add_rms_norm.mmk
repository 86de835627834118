// A residual is added, and the sum is normalised: two results of one pass over memory.
kernel add_rms_norm(
  x:        f16[M, N],
  residual: f16[M, N],
  weight:   f16[N]
) -> sum: f16[M, N], y: f16[M, N] {

  let added = x + residual;
  sum = added;
  y   = rms_norm[N](added, weight, 0.000001);

  case one    { M = 1; N = 1; }
  case ragged { M = 33; N = 1023; }
  case layer  { M = 4096; N = 2048; }
  check { rtol = 2e-3; atol = 2e-3; }
}
