// Rotary position embedding: the two halves of each head's vector are rotated by an angle of the
// position and of the place in the half. Of half h the other one is 1 - h.
kernel rope(x: f16[T, H, 2, P], cosine: f32[T, P], sine: f32[T, P]) -> y: f16[T, H, 2, P] {
  y[t, n, h, p] = x[t, n, h, p] * cosine[t, p] + (2 * h - 1) * x[t, n, 1 - h, p] * sine[t, p];

  case one    { T = 1; H = 1; P = 1; }
  case ragged { T = 19; H = 3; P = 37; }
  case layer  { T = 2048; H = 32; P = 64; }
  check { rtol = 1e-3; atol = 1e-3; }
}
