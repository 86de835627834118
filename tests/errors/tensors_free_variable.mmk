// The rows are summed for each i, and i is not left of '='.
fn sums(x[M, N])[j] = x[i, j];
kernel columns(x: f32[M, N]) -> y: f32[N] {
  y = sums(x);
}
