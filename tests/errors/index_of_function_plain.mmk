// Without variables there is no position.
fn ramp[D](x) = x * index(D);
kernel k(x: f32[M, N]) -> y: f32[M, N] {
  y = ramp[N](x);
}
