// Three statements are wrong independently; all three are reported.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  let x = a @ ;
  let y = @ b;
  let 3 = a;
  c = x;
}
