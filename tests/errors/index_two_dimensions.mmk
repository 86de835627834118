// i cannot go over M and N.
kernel k(x: f32[M, N], z: f32[N, M]) -> y: f32[M, N] {
  y[i, j] = x[i, j] + z[i, j];
}
