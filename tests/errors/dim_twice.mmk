// P would have two sizes.
kernel k(x: f32[H]) -> y: f32[P] {
  dim P = H + 1;
  dim P = H + 2;
  y = P;
}
