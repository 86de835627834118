// t has rows and columns in the other order.
kernel turn(x: f32[M, N]) -> y: f32[M, N] {
  let t[j, i] = exp(x[i, j]);
  y[i, j] = t[i, j];
}
