// The second comparison would compare the result of the first.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile M = 64;
    require 16 <= tile.M <= 128;
  }
}
