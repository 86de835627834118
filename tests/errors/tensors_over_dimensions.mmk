// It reduces index variables, and not a dimension in brackets.
fn means[N](x[M, N])[i] = sum[j](x[i, j]) / N;
kernel rows(x: f32[M, N]) -> y: f32[M] {
  y = means[N](x);
}
