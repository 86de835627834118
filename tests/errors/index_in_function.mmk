// A function reads its arguments whole.
fn first(x) = x[0];
kernel k(x: f32[M]) -> y: f32[M] {
  y[i] = first(x[i]);
}
