// A function takes every element type.
fn scaled(x[M, N], a: f32)[i, j] = a * x[i, j];
kernel scale(x: f32[M, N]) -> y: f32[M, N] {
  y = scaled(x, 2);
}
