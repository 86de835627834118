// All indices stand in one pair of brackets.
kernel turn(x: f32[M, N]) -> y: f32[N, M] {
  y[j, i] = x[i][j];
}
