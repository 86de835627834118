// Nothing says which k is meant.
kernel k(x: f32[M, N]) -> y: f32[M] {
  y[i] = x[i, k];
}
