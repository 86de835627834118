// A literal extent has no name.
kernel rows(x: f32[M, 64]) -> s: f32[M] {
  s = sum[64](x);
}
