// silu(gate) * up, between the products of a gated MLP.
kernel swiglu(gate: f16[M, N], up: f16[M, N]) -> y: f16[M, N] {
  y = silu(gate) * up;

  case one    { M = 1; N = 1; }
  case ragged { M = 77; N = 1001; }
  case layer  { M = 1024; N = 2048; }
  check { rtol = 1e-3; atol = 1e-3; }
}
