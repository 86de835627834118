// The standard deviation is sqrt(variance[N](x)).
kernel rows(x: f32[M, N]) -> s: f32[M] {
  s = stddev[N](x);
}
