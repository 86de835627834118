// A sum is of numbers.
kernel k(a: f32[M, N]) -> c: f32[M] {
  c = sum[N](a > 0);
}
