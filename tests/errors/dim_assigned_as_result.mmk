// A derived dimension is no value.
kernel k(x: f32[H]) -> y: f32[H] {
  dim P = H + 1;
  P = x;
  y = x;
}
