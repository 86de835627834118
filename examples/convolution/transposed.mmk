// A transposed convolution, which enlarges an image `stride` times. Results with the same remainder of
// their row and column by `stride` multiply the same taps.
kernel transposed(
  x:       f16[B, C, H, W],
  w:       f16[C, O, R, S],
  stride:  int = 2,
  padding: int = 1
) -> y: f32[B, O, P, Q] {

  dim P = stride*(H - 1) + R - 2*padding;
  dim Q = stride*(W - 1) + S - 2*padding;
  y = conv_transpose2d(x, w, stride, padding);

  case one    { B = 1; C = 1; H = 1; W = 1; O = 1; R = 3; S = 3; }
  case ragged { B = 2; C = 5; H = 7; W = 6; O = 3; R = 4; S = 3; }
  case layer  { B = 1; C = 128; H = 16; W = 16; O = 64; R = 4; S = 4; }
}
