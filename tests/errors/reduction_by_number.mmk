// The last dimension is called N.
kernel rows(x: f32[M, N]) -> s: f32[M] {
  s = sum[1](x);
}
