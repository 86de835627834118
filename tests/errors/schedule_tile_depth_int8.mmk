// For i8 the cube is 32 deep.
kernel gemm(a: i8[M, K], b: i8[K, N]) -> c: i32[M, N] {
  c = a @ b;
  schedule {
    tile K = 48;
  }
}
