// One name for a tensor and a size.
kernel k(X: f32[H]) -> y: f32[H] {
  dim X = H + 1;
  y = X;
}
