// A condition is no number.
kernel k(x: f32[M]) -> y: f32[M] {
  y[i] = cast<f16>(x[i] > 0);
}
