// Dimensions are derived one after the other.
kernel k(x: f32[H]) -> y: f32[P], z: f32[Q] {
  dim P = Q + 1;
  dim Q = H / 2 + 1;
  y = P;
  z = Q;
}
