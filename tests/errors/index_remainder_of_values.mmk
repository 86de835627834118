// A remainder is of whole numbers.
kernel k(x: f32[M]) -> y: f32[M] {
  y[i] = x[i] % 2;
}
