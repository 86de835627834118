// The factor is one for the whole call.
fn scaled(x[M, N], a)[i, j] = a * x[i, j];
kernel scale(x: f32[M, N], a: f32[M]) -> y: f32[M, N] {
  y[i, j] = scaled(x, a[i])[i, j];
}
