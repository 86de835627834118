// A cumulative sum has a value for each element.
kernel k(x: f32[M, N]) -> y: f32[M, N] {
  y[i, j] = cumsum[j | j <= i](x[i, j]);
}
