// An argument without dimensions is one number.
fn scaled(x[M, N], a)[i, j] = a * x[i, j];
kernel scale(x: f32[M, N], a: f32[N]) -> y: f32[M, N] {
  y = scaled(x, a);
}
