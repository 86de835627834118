// Dimensions begin with an upper-case letter, derived ones, too.
kernel k(x: f32[H]) -> y: f32[H] {
  dim p = H + 1;
  y = x;
}
