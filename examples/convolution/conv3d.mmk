// A convolution of videos or volumes.
kernel conv3d(
  x:       f16[B, C, D, H, W],
  w:       f16[O, C, T, R, S],
  stride:  int = 1,
  padding: int = 1
) -> y: f32[B, O, E, P, Q] {

  dim E = (D + 2*padding - T) / stride + 1;
  dim P = (H + 2*padding - R) / stride + 1;
  dim Q = (W + 2*padding - S) / stride + 1;
  y = conv3d(x, w, stride, padding, 1);

  case one    { B = 1; C = 1; D = 1; H = 1; W = 1; O = 1; T = 1; R = 1; S = 1; }
  case ragged { B = 2; C = 3; D = 4; H = 5; W = 7; O = 5; T = 3; R = 2; S = 3; }
  case layer  { B = 1; C = 32; D = 8; H = 28; W = 28; O = 32; T = 3; R = 3; S = 3; }
}
