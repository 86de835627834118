// A dimension is a number.
kernel k(x: f32[H]) -> y: f32[P] {
  dim P = H > 4;
  y = P;
}
