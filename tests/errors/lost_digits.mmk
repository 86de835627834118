kernel k(x: f32[N]) -> y: f32[N], z: f32[N] {
  y = log(1 + x);
  z = exp(x) - 1;
}
