// Causal attention with grouped heads: `group` heads of queries read the same keys and values, where
// they lie.
kernel attention_gqa(
  q:     bf16[B, H, M, D],
  k:     bf16[B, G, N, D],
  v:     bf16[B, G, N, D],
  group: int = 8,
  scale: f32 = 0.08838834764831845
) -> o: bf16[B, H, M, D] {

  require H == G * group;
  let s[b, h, i, j] = scale * sum[d](q[b, h, i, d] * k[b, h / group, j, d]);
  let p[b, h, i, j] = softmax[j | j <= i + N - M](s[b, h, i, j]);
  o[b, h, i, d] = sum[j | j <= i + N - M](cast<bf16>(p[b, h, i, j]) * v[b, h / group, j, d]);

  case one    { B = 1; H = 8; G = 1; M = 1; N = 1; D = 1; }
  case ragged { B = 2; H = 16; G = 2; M = 17; N = 61; D = 40; }
  case layer  { B = 4; H = 64; G = 8; M = 512; N = 512; D = 128; }
  check { rtol = 2e-2; atol = 1e-2; }
}
