// Two names are never read: warnings, and the program is valid.
kernel k(a: f32[N], bias: f32[N]) -> c: f32[N] {
  let twice = 2 * a;
  c = a;
}
