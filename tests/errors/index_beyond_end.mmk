// Behind the last element there is none.
kernel k(x: f32[M]) -> y: f32[M] {
  y[i] = x[i + 1];
}
