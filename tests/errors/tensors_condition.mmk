// A condition is no tensor.
fn count(x[M, N])[i] = sum[j](x[i, j]);
kernel positives(x: f32[M, N]) -> y: f32[M] {
  y = count(x > 0);
}
