// The product of two variables is not affine.
kernel k(x: f32[M]) -> y: f32[M] {
  y[i] = sum[j: 2](x[i * j]);
}
