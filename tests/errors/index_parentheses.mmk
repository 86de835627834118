// Elements are read with brackets.
kernel turn(x: f32[M, N]) -> y: f32[N, M] {
  y[j, i] = x(i, j);
}
