// Exchanged variables transpose.
kernel k(x: f32[M, N]) -> y: f32[N, M] {
  y[i, j] = transpose(x[j, i]);
}
