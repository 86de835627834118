// C = A x B, rounded once to half precision, when it is stored: half the bytes to write. Vendors
// publish times of this product at 8192 x 8192 x 8192.
kernel matmul_half(a: f16[M, K], b: f16[N, K]) -> c: f16[M, N] {
  c = a @ transpose(b);

  schedule {
    grid    M = 4, N = 5;
    tile    M = 128, N = 256 | 128, K = 64;
    stage   K = 256 | 512 | 64;
    buffers l1 = 2 | 1, l0 = 2 | 1, acc = 1;
    order   = swizzle(4) | rows;
  }
  // Eight cores need another grid than twenty.
  schedule for ascend310p* {
    grid    M = 2, N = 4;
    tile    M = 128, N = 256 | 128, K = 64;
    stage   K = 256 | 512 | 64;
    buffers l1 = 2 | 1, l0 = 2 | 1, acc = 1 | 2;
    order   = swizzle(4) | rows;
  }
  schedule for host {
    cores = auto;
    tile  M = 128, N = 256, K = 64;
  }

  case small { M = 300; N = 500; K = 200; }
  case S1    { M = 2048; N = 2048; K = 2048; }
  // Half of a unit in the last place of f16 is 5e-4 of a value.
  check { rtol = 2e-3; atol = 1e-3; }
}
