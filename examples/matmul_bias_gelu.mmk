// The first half of a transformer's feed-forward layer: y = gelu(x w + bias), with the exact gelu.
kernel matmul_bias_gelu(x: f16[M, K], w: f16[K, N], bias: f32[N]) -> y: f16[M, N] {
  let linear = x @ w + bias;
  y = gelu(linear);

  schedule {
    tile    M = 128 | 64, N = 256 | 128 | 64, K = 64 | 32;
    stage   K = 256 | 128;
    buffers l1 = 2 | 1, l0 = 2 | 1, acc = 1 | 2, out = 2 | 1;
    order   = rows | swizzle(4);
    fuse    = all | none;
  }

  case tokens { M = 77; N = 640; K = 320; }
  case layer  { M = 512; N = 3072; K = 768; }
  check { rtol = 2e-3; atol = 2e-3; }
}
