// What is checked and compiled without a value of its own needs a default.
kernel k(x: f32[H], stride: int) -> y: f32[H] {
  y = stride * x;
}
