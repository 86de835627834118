// An elementwise function reduces nothing.
kernel k(a: f32[M, N]) -> c: f32[M, N] {
  c = exp[N](a);
}
