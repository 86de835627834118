// pad is read by elements.
kernel k(x: f32[M]) -> y: f32[M] {
  y[i] = pad(x[i], 0);
}
