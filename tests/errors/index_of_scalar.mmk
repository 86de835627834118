// A scalar has no elements.
kernel k(x: f32[M], s: f32) -> y: f32[M] {
  y[i] = x[i] + s[i];
}
