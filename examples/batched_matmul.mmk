// One product for each head of each element of a batch. The leading dimensions are batches; that of
// the right operand is 1, so its matrices broadcast over the batch.
kernel batched_matmul(a: f16[B, H, M, K], b: f16[1, H, K, N]) -> c: f32[B, H, M, N] {
  c = a @ b;

  schedule {
    tile    M = 64 | 128, N = 128 | 64, K = 64;
    stage   K = 128 | 64;
    buffers l1 = 2 | 1, l0 = 2 | 1, acc = 2 | 1;
    order   = rows | columns;
  }

  case single { B = 1; H = 1; M = 64; N = 64; K = 64; }
  case heads  { B = 2; H = 8; M = 77; N = 77; K = 64; }
  case deep   { B = 3; H = 2; M = 128; N = 40; K = 500; }
  check { rtol = 1e-4; atol = 1e-4; }
}
