// pad needs the value that is read outside.
kernel shift(x: f32[N]) -> y: f32[N] {
  y[i] = pad(x)[i - 1];
}
