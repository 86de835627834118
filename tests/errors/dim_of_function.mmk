// Sizes are computed with integers.
kernel k(x: f32[H]) -> y: f32[P] {
  dim P = max(H, 4);
  y = P;
}
