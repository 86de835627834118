// auto is not a number.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    cores = auto | 2;
    require cores <= 8;
  }
}
