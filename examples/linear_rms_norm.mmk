// A linear layer and the RMS normalisation of its rows. Where a tile holds whole rows, the vector
// cores normalise one while the cube computes the next: the product never goes through memory whole.
kernel linear_rms_norm(x: f16[M, K], w: f16[K, N], bias: f32[N], weight: f32[N]) -> y: f16[M, N] {
  y = cast<f16>(rms_norm[N](x @ w + bias, weight, 0.000001));

  case one    { M = 1; K = 1; N = 1; }
  case ragged { M = 421; K = 190; N = 201; }
  case heads  { M = 8192; K = 512; N = 512; }
  case narrow { M = 16384; K = 128; N = 128; }
  check { rtol = 1e-2; atol = 1e-2; }
}
