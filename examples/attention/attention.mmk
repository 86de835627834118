// Attention: the rows of v weighted with the softmax of the scores of each query with all keys.
kernel attention(
  q:     f16[B, H, M, D],
  k:     f16[B, H, N, D],
  v:     f16[B, H, N, E],
  scale: f32 = 0.08838834764831845
) -> o: f16[B, H, M, E] {

  let s[b, h, i, j] = scale * sum[d](q[b, h, i, d] * k[b, h, j, d]);
  let p[b, h, i, j] = softmax[j](s[b, h, i, j]);
  o[b, h, i, e] = sum[j](cast<f16>(p[b, h, i, j]) * v[b, h, j, e]);

  case one    { B = 1; H = 1; M = 1; N = 1; D = 1; E = 1; }
  case ragged { B = 2; H = 3; M = 61; N = 117; D = 40; E = 24; }
  case layer  { B = 4; H = 12; M = 197; N = 197; D = 64; E = 64; scale = 0.125; }
  case S1     { B = 1; H = 1; M = 1024; N = 1024; D = 128; E = 128; }
  case S2     { B = 1; H = 1; M = 2048; N = 2048; D = 128; E = 128; }
  case S3     { B = 1; H = 1; M = 8192; N = 8192; D = 128; E = 128; }
  check { rtol = 1e-2; atol = 1e-3; }
}
