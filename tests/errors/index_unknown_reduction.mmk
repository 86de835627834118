// total is none.
kernel k(x: f32[M, N]) -> y: f32[M] {
  y[i] = summ[j](x[i, j]);
}
