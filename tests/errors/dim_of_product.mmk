// Two sizes are no matrices.
kernel k(x: f32[H, W]) -> y: f32[P] {
  dim P = H @ W;
  y = P;
}
