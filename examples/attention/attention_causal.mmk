// Causal attention: query i sees the keys up to i + N - M. The logarithm of the sum of exponentials is
// a second result, as a backward pass needs it.
kernel attention_causal(
  q:     f16[B, H, M, D],
  k:     f16[B, H, N, D],
  v:     f16[B, H, N, D],
  scale: f32 = 0.08838834764831845
) -> o: f16[B, H, M, D], l: f32[B, H, M] {

  let s[b, h, i, j] = scale * sum[d](q[b, h, i, d] * k[b, h, j, d]);
  let p[b, h, i, j] = softmax[j | j <= i + N - M](s[b, h, i, j]);
  o[b, h, i, d] = sum[j | j <= i + N - M](cast<f16>(p[b, h, i, j]) * v[b, h, j, d]);
  l[b, h, i] = logsumexp[j | j <= i + N - M](s[b, h, i, j]);

  case one    { B = 1; H = 1; M = 1; N = 1; D = 1; }
  case ragged { B = 2; H = 3; M = 61; N = 117; D = 40; }
  case layer  { B = 4; H = 32; M = 1024; N = 1024; D = 128; }
  check { rtol = 1e-2; atol = 1e-3; }
}
