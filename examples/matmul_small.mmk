// A product whose result has few tiles. `auto` shrinks the tiles until more cores have work. Where the
// inner dimension is long, several cores share it (grid K, split-K): each computes a partial product,
// and the partial products are summed before relu.
kernel matmul_small(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f32[M, N] {
  c = relu(a @ b + bias);

  schedule {
    grid    K = 1 | 2 | 4 | 8 | 16;
    tile    M = auto | 128 | 64 | 32, N = auto | 256 | 128 | 64, K = 64;
    stage   K = 256 | 128 | 512;
    buffers l1 = 2, l0 = 2 | 1;
  }

  case one  { M = 1; N = 1000; K = 512; }
  case cube { M = 300; N = 300; K = 300; }
  case S4   { M = 512; N = 128; K = 512; }
  case deep { M = 256; N = 256; K = 16384; }
  check { rtol = 1e-3; atol = 1e-3; }
}
