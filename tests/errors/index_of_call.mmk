// Elements are read of a value with a name.
kernel k(x: f32[M]) -> y: f32[M] {
  y[i] = exp(x)[i];
}
