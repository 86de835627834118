// C = A x B^T, where B is stored by rows like the weights of a linear layer: its rows run along K, so
// a transfer reads whole rows of both operands. The transpose is read in place.
kernel matmul_transposed_b(a: bf16[M, K], b: bf16[N, K]) -> c: f32[M, N] {
  c = a @ transpose(b);

  schedule {
    tile    M = 128 | 64, N = 256 | 128, K = 64 | 128;
    stage   K = 256 | 512;
    buffers l1 = 2 | 1, l0 = 2 | 1, acc = 1 | 2;
    order   = rows | zigzag;
  }

  case small  { M = 100; N = 200; K = 300; }
  case square { M = 1024; N = 1024; K = 1024; }
  check { rtol = 1e-4; atol = 1e-4; }
}
