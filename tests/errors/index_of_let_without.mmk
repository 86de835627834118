// The statement has index variables, so t is read by its elements, too.
kernel scaled(x: f32[M, N]) -> y: f32[M, N] {
  let t[i] = max[j](x[i, j]);
  y[i, j] = x[i, j] / t;
}
