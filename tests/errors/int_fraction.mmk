// An int is a whole number.
kernel k(x: f32[H], stride: int = 1.5) -> y: f32[H] {
  y = stride * x;
}
