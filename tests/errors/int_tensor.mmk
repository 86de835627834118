// An int is one number; a tensor of integers is i32 or i8.
kernel k(x: int[H]) -> y: f32[H] {
  y = x;
}
