// The quantised product of library operators, scaled by columns.
kernel matmul_int8(a: i8[M, K], b: i8[K, N], scale: f32[N]) -> c: f16[M, N] {
  c = cast<f16>(cast<f32>(a @ b) * scale);

  schedule {
    tile    M = 128, N = 256, K = 128;
    stage   K = 512;
    buffers l1 = 2, l0 = 2, acc = 1;
    order   = rows | swizzle(4);
  }
}
