// A quantised product that vector cores scale by columns and rows.
kernel matmul_dequant(a: i8[M, K], b: i8[K, N], s: f32[N], t: f32[M, 1]) -> c: bf16[M, N] {
  c = cast<bf16>(cast<f32>(a @ b) * s * t);

  schedule {
    tile    M = 128, N = 256, K = 128;
    stage   K = 512 | 256;
    buffers l1 = 2, l0 = 2, acc = 1;
    order   = rows | swizzle(3);
    grid    M = 1 | 4, N = 1 | 6;
    keep    = none | A(2048);
  }
}
