// A quantised linear layer: integers are multiplied and summed exactly, in i32; then each column is
// scaled and rounded once to f16.
kernel matmul_int8_dequant(
  a:     i8[M, K],
  b:     i8[K, N],
  scale: f32[N],
  shift: f32 = 0
) -> c: f16[M, N] {

  let sum = a @ b;
  c = sum * scale / 16384 + shift;

  schedule {
    tile    M = 128 | 64, N = 256 | 128, K = 128 | 64;
    stage   K = 512 | 256 | 128;
    buffers l1 = 2 | 1, l0 = 2 | 1, acc = 1 | 2, out = 2 | 1;
    fuse    = all | none;
  }

  case small { M = 50; N = 300; K = 130; shift = 0.5; }
  case layer { M = 256; N = 1024; K = 1024; }
  check { rtol = 2e-3; atol = 1e-3; }
}
