// The softmax of attention scores under a causal mask: query i sees the keys up to i + N - M. Parts
// of a row behind its last key are not read.
kernel causal_softmax(s: f16[B, M, N]) -> p: f16[B, M, N] {
  p[b, i, j] = select(j <= i + N - M, softmax[j | j <= i + N - M](s[b, i, j]), 0);

  case one    { B = 1; M = 1; N = 1; }
  case ragged { B = 3; M = 61; N = 117; }
  case decode { B = 32; M = 1; N = 4096; }
  case square { B = 8; M = 1024; N = 1024; }
  check { rtol = 1e-3; atol = 1e-5; }
}
