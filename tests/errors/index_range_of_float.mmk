// A window has a whole number of elements.
kernel pool(x: f32[N], width: f32) -> y: f32[N] {
  y[i] = max[r: width](pad(x, 0)[i + r]);
}
