// Attention in a sliding window: query i sees the last `window` keys up to i + N - M.
kernel attention_window(
  q:      f16[B, H, M, D],
  k:      f16[B, H, N, D],
  v:      f16[B, H, N, D],
  window: i32 = 512,
  scale:  f32 = 0.08838834764831845
) -> o: f16[B, H, M, D] {

  let s[b, h, i, j] = scale * sum[d](q[b, h, i, d] * k[b, h, j, d]);
  let p[b, h, i, j] = softmax[j | j <= i + N - M && j > i + N - M - window](s[b, h, i, j]);
  o[b, h, i, d] =
      sum[j | j <= i + N - M && j > i + N - M - window](cast<f16>(p[b, h, i, j]) * v[b, h, j, d]);

  case one    { B = 1; H = 1; M = 1; N = 1; D = 1; }
  case ragged { B = 2; H = 3; M = 61; N = 117; D = 40; window = 29; }
  case layer  { B = 1; H = 8; M = 2048; N = 2048; D = 128; }
  check { rtol = 1e-2; atol = 1e-3; }
}
