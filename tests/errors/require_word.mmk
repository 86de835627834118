// An order is not a number.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile M = 64;
    order = rows;
    require order == 1;
  }
}
