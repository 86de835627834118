// A convolution of images, channels first and channels last. Both are one product: its rows or
// columns are the pixels of a result, and its depth is channels times taps.
kernel conv2d(
  x:       f16[B, C, H, W],
  w:       f16[O, C, R, S],
  stride:  int = 1,
  padding: int = 1
) -> y: f32[B, O, P, Q] {

  dim P = (H + 2*padding - R) / stride + 1;
  dim Q = (W + 2*padding - S) / stride + 1;
  y = conv2d(x, w, stride, padding, 1);

  case one    { B = 1; C = 1; H = 1; W = 1; O = 1; R = 1; S = 1; }
  case ragged { B = 2; C = 5; H = 11; W = 9; O = 7; R = 3; S = 2; }
  case layer  { B = 1; C = 64; H = 56; W = 56; O = 64; R = 3; S = 3; }
}

kernel conv2d_nhwc(
  x:       f16[B, H, W, C],
  w:       f16[R, S, C, O],
  stride:  int = 1,
  padding: int = 1
) -> y: f32[B, P, Q, O] {

  dim P = (H + 2*padding - R) / stride + 1;
  dim Q = (W + 2*padding - S) / stride + 1;
  y = conv2d_nhwc(x, w, stride, padding, 1);

  case one    { B = 1; C = 1; H = 1; W = 1; O = 1; R = 1; S = 1; }
  case ragged { B = 2; C = 5; H = 11; W = 9; O = 7; R = 3; S = 2; }
  case layer  { B = 1; C = 64; H = 56; W = 56; O = 64; R = 3; S = 3; }
}
