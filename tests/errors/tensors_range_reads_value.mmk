// A range is a calculation with whole numbers.
fn first(x[M], n)[i: n] = x[i];
kernel head(x: f32[M]) -> y: f32[4] {
  y = first(x, 4);
}
