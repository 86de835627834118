// The gradients of attention (attention.mmk), from its result o, the gradient g of that, and the
// logarithm l of the sum of exponentials (attention_causal.mmk stores it). The scores are computed
// again, part by part, and nothing of their size is stored.

// What the gradient of a softmax takes off: the same for a whole row.
kernel delta(o: f16[B, H, M, D], g: f16[B, H, M, D]) -> delta: f32[B, H, M] {
  delta[b, h, i] = sum[d](o[b, h, i, d] * g[b, h, i, d]);

  case one    { B = 1; H = 1; M = 1; D = 1; }
  case ragged { B = 2; H = 3; M = 61; D = 40; }
  case S2     { B = 1; H = 1; M = 2048; D = 128; }
  case S3     { B = 1; H = 1; M = 8192; D = 128; }
  check { rtol = 1e-3; atol = 1e-3; }
}

// The gradient of the queries: each query goes over all keys.
kernel dq(
  q:     f16[B, H, M, D],
  k:     f16[B, H, N, D],
  v:     f16[B, H, N, D],
  g:     f16[B, H, M, D],
  l:     f32[B, H, M],
  delta: f32[B, H, M],
  scale: f32 = 0.08838834764831845
) -> dq: f16[B, H, M, D] {

  let s[b, h, i, j] = scale * sum[d](q[b, h, i, d] * k[b, h, j, d]);
  let p[b, h, i, j] = exp(s[b, h, i, j] - l[b, h, i]);
  let dp[b, h, i, j] = sum[d](g[b, h, i, d] * v[b, h, j, d]);
  let ds[b, h, i, j] = scale * p[b, h, i, j] * (dp[b, h, i, j] - delta[b, h, i]);
  dq[b, h, i, d] = sum[j](cast<f16>(ds[b, h, i, j]) * k[b, h, j, d]);

  case one    { B = 1; H = 1; M = 1; N = 1; D = 1; }
  case ragged { B = 2; H = 3; M = 61; N = 117; D = 40; }
  case S2     { B = 1; H = 1; M = 2048; N = 2048; D = 128; }
  case S3     { B = 1; H = 1; M = 8192; N = 8192; D = 128; }
  check { rtol = 1e-2; atol = 1e-3; }
}

// Those of the keys and values: each key goes over all queries, which are the columns here.
kernel dkv(
  q:     f16[B, H, M, D],
  k:     f16[B, H, N, D],
  v:     f16[B, H, N, D],
  g:     f16[B, H, M, D],
  l:     f32[B, H, M],
  delta: f32[B, H, M],
  scale: f32 = 0.08838834764831845
) -> dk: f16[B, H, N, D], dv: f16[B, H, N, D] {

  let s[b, h, j, i] = scale * sum[d](k[b, h, j, d] * q[b, h, i, d]);
  let p[b, h, j, i] = exp(s[b, h, j, i] - l[b, h, i]);
  let dp[b, h, j, i] = sum[d](v[b, h, j, d] * g[b, h, i, d]);
  let ds[b, h, j, i] = scale * p[b, h, j, i] * (dp[b, h, j, i] - delta[b, h, i]);
  dk[b, h, j, d] = sum[i](cast<f16>(ds[b, h, j, i]) * q[b, h, i, d]);
  dv[b, h, j, d] = sum[i](cast<f16>(p[b, h, j, i]) * g[b, h, i, d]);

  case one    { B = 1; H = 1; M = 1; N = 1; D = 1; }
  case ragged { B = 2; H = 3; M = 61; N = 117; D = 40; }
  case S2     { B = 1; H = 1; M = 2048; N = 2048; D = 128; }
  case S3     { B = 1; H = 1; M = 8192; N = 8192; D = 128; }
  check { rtol = 1e-2; atol = 1e-3; }
}

// The same of causal attention: query i sees the keys up to i + N - M.
kernel dq_causal(
  q:     f16[B, H, M, D],
  k:     f16[B, H, N, D],
  v:     f16[B, H, N, D],
  g:     f16[B, H, M, D],
  l:     f32[B, H, M],
  delta: f32[B, H, M],
  scale: f32 = 0.08838834764831845
) -> dq: f16[B, H, M, D] {

  let s[b, h, i, j] = scale * sum[d](q[b, h, i, d] * k[b, h, j, d]);
  let p[b, h, i, j] = exp(s[b, h, i, j] - l[b, h, i]);
  let dp[b, h, i, j] = sum[d](g[b, h, i, d] * v[b, h, j, d]);
  let ds[b, h, i, j] = scale * p[b, h, i, j] * (dp[b, h, i, j] - delta[b, h, i]);
  dq[b, h, i, d] = sum[j | j <= i + N - M](cast<f16>(ds[b, h, i, j]) * k[b, h, j, d]);

  case one    { B = 1; H = 1; M = 1; N = 1; D = 1; }
  case ragged { B = 2; H = 3; M = 61; N = 117; D = 40; }
  case S3     { B = 1; H = 1; M = 8192; N = 8192; D = 128; }
  check { rtol = 1e-2; atol = 1e-3; }
}

kernel dkv_causal(
  q:     f16[B, H, M, D],
  k:     f16[B, H, N, D],
  v:     f16[B, H, N, D],
  g:     f16[B, H, M, D],
  l:     f32[B, H, M],
  delta: f32[B, H, M],
  scale: f32 = 0.08838834764831845
) -> dk: f16[B, H, N, D], dv: f16[B, H, N, D] {

  let s[b, h, j, i] = scale * sum[d](k[b, h, j, d] * q[b, h, i, d]);
  let p[b, h, j, i] = exp(s[b, h, j, i] - l[b, h, i]);
  let dp[b, h, j, i] = sum[d](v[b, h, j, d] * g[b, h, i, d]);
  let ds[b, h, j, i] = scale * p[b, h, j, i] * (dp[b, h, j, i] - delta[b, h, i]);
  dk[b, h, j, d] = sum[i | j <= i + N - M](cast<f16>(ds[b, h, j, i]) * q[b, h, i, d]);
  dv[b, h, j, d] = sum[i | j <= i + N - M](cast<f16>(p[b, h, j, i]) * g[b, h, i, d]);

  case one    { B = 1; H = 1; M = 1; N = 1; D = 1; }
  case ragged { B = 2; H = 3; M = 61; N = 117; D = 40; }
  case S3     { B = 1; H = 1; M = 8192; N = 8192; D = 128; }
  check { rtol = 1e-2; atol = 1e-3; }
}
