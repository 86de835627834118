// There is no element one and a half.
kernel k(x: f32[M]) -> y: f32[M] {
  y[i] = x[1.5];
}
