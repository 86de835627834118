// Rows along M are kept; those along N are reduced.
kernel rows(x: f32[M, N], z: f32[A, C]) -> y: f32[M, N], t: f32[A] {
  y = softmax[N](x);
  t = sum[C](z);
  schedule { reduce M = whole; }
}
