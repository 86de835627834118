// A condition is true or false.
kernel k(x: f32[H]) -> y: f32[H] {
  require H % 2;
  y = x;
}
