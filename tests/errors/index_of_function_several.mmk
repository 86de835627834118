// Two variables have two positions.
fn ramp[D](x) = x * index(D);
kernel k(x: f32[M, N]) -> y: f32[M, N] {
  y[i, j] = ramp[i, j](x[i, j]);
}
