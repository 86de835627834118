// `check` is a word of the language, so nothing else can have that name.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  let check = a @ b;
  c = check;
}
