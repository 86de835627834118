// The product of library operators: B is stored by rows of its depth, f16 in and out.
kernel matmul_rows(a: f16[M, K], b: f16[K, N]) -> c: f16[M, N] {
  c = cast<f16>(a @ b);

  schedule {
    tile    M = 128, N = 256, K = 64;
    stage   K = 256;
    buffers l1 = 2, l0 = 2, acc = 1;
    order   = rows | swizzle(2) | swizzle(3) | swizzle(4);
  }
}
