// A convolution in G groups: each has its own channels, weights and results. In memory x is
// [B, G*C, H, W] and w is [G*O, C, R, S].
kernel grouped(
  x:      f16[B, G, C, H, W],
  w:      f16[G, O, C, 3, 3],
  stride: int = 2
) -> y: f32[B, G, O, P, Q] {

  dim P = (H - 1) / stride + 1;
  dim Q = (W - 1) / stride + 1;
  y = grouped_conv2d(x, w, stride, 1, 1);

  case one    { B = 1; G = 1; C = 1; H = 1; W = 1; O = 1; }
  case ragged { B = 2; G = 3; C = 5; H = 9; W = 7; O = 3; }
  case layer  { B = 1; G = 32; C = 4; H = 56; W = 56; O = 4; }
}
