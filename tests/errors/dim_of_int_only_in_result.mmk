// A dimension of results alone follows from others by dim.
kernel upsampled(x: f32[H], k: int = 2) -> y: f32[P] {
  y[p] = x[p / k];
}
