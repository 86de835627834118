// y = relu(x w + bias + residual): a layer whose input is added to its output. The residual is
// loaded tile by tile during the product, and only y is written to memory.
kernel matmul_bias_residual(
  x:        f16[M, K],
  w:        f16[K, N],
  bias:     f32[N],
  residual: f16[M, N]
) -> y: f16[M, N] {

  y = relu(x @ w + bias + residual);

  schedule {
    tile    M = 128 | 64, N = 128 | 256 | 64, K = 64 | 32;
    stage   K = 256 | 128;
    buffers l1 = 2 | 1, l0 = 2 | 1, acc = 2 | 1, out = 2 | 1;
    fuse    = all | none;
    require tile.M * tile.N * buffers.acc <= 32768;
  }

  case small { M = 96; N = 160; K = 224; }
  case layer { M = 512; N = 1024; K = 1024; }
  check { rtol = 2e-3; atol = 2e-3; }
}
