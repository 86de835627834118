// The function does not read its second argument: a warning.
fn first(x, y) = x;

kernel k(a: f32[N]) -> c: f32[N] {
  c = first(a, 1);
}
