// A dimension is bound by arguments.
kernel k(a: f32[M, N]) -> c: f32[M, N] {
  let M = 3;
  c = a * M;
}
