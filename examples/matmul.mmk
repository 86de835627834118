// C = A x B: half-precision operands, summed and stored in f32.
kernel matmul(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;

  schedule {
    cores   = auto | 1;
    tile    M = 128 | 64 | 256, N = 256 | 128 | 64, K = 64 | 32 | 128;
    stage   K = 256 | 128 | 512;
    buffers l1 = 2 | 1, l0 = 2 | 1, acc = 1 | 2;
    order   = rows | columns | zigzag | swizzle(4);
    require tile.M * tile.N <= 32768;
  }

  case tiny   { M = 16; N = 16; K = 16; }
  case small  { M = 256; N = 192; K = 320; }
  case ragged { M = 129; N = 257; K = 65; }
  case S1     { M = 2048; N = 2048; K = 2048; }
  check { rtol = 1e-4; atol = 1e-4; }
}
