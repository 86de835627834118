// Sizes are computed with integers.
kernel k(x: f32[H]) -> y: f32[P] {
  dim P = 0.5 * H;
  y = P;
}
