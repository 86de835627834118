// A softmax has a value for each j.
kernel k(x: f32[M, N]) -> y: f32[M] {
  y[i] = softmax[j](x[i, j]);
}
