// C = LeakyReLU(A x B + bias): the project's main example of a fused kernel.
kernel matmul_bias_leakyrelu(
  a:     f16[M, K],
  b:     f16[K, N],
  bias:  f32[N],
  alpha: f32 = 0.001
) -> c: f32[M, N] {

  let acc = a @ b;
  c = leaky_relu(acc + bias, alpha);

  schedule {
    cores   = auto | 1 | 2 | 4;
    tile    M = 128 | 64 | 256 | 112, N = 256 | 128 | 64, K = 64 | 32 | 128 | 48;
    stage   K = 256 | 128 | 512 | 48;
    buffers l1 = 2 | 1, l0 = 2 | 1, acc = 1 | 2, out = 2 | 1;
    keep    = none | A(2048);
    bias    = vector | table;
    skew    = none | stages;
    order   = swizzle(4) | rows | columns | zigzag | swizzle(3);
    store   = overlapped | after;
    fuse    = all | none;
    require tile.M * tile.N <= 32768;
  }

  case S1     { M = 2048; N = 2048; K = 2048; }
  case S2     { M = 4096; N = 1024; K = 4096; }
  case S3     { M = 1024; N = 512; K = 1024; }
  case S4     { M = 512; N = 128; K = 512; }
  case ragged { M = 1000; N = 513; K = 301; }
  case thin   { M = 1; N = 640; K = 256; alpha = 0.1; }
  check { rtol = 1e-3; atol = 1e-3; max_error_ratio = 1e-4; }
}
