// pad takes the name of a tensor.
kernel k(x: f32[M]) -> y: f32[M] {
  y[i] = pad(x[i], 0)[i - 1];
}
