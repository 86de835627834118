// RMS normalisation of each row, as transformers have it before attention and before the MLP.
kernel rms_norm(x: bf16[M, N], weight: bf16[N]) -> y: bf16[M, N] {
  y = rms_norm[N](x, weight, 0.000001);

  case one    { M = 1; N = 1; }
  case ragged { M = 421; N = 1023; }
  case layer  { M = 4096; N = 2048; }
  case short  { M = 4096; N = 768; }
  check { rtol = 1e-2; atol = 1e-2; }
}
