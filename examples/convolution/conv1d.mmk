// A causal convolution of a sequence: a result reads `dilation`-th elements up to its own place.
kernel conv1d_causal(x: f16[B, C, L], w: f16[O, C, 3], dilation: int = 2) -> y: f32[B, O, L] {
  y[n, o, l] = sum[c, t](pad(x, 0)[n, c, l + dilation*t - 2*dilation] * w[o, c, t]);

  case one    { B = 1; C = 1; L = 1; O = 1; }
  case ragged { B = 2; C = 5; L = 37; O = 19; }
  case layer  { B = 1; C = 64; L = 1024; O = 64; }
}

kernel conv1d(
  x:       f16[B, C, W],
  w:       f16[O, C, S],
  stride:  int = 2,
  padding: int = 1
) -> y: f32[B, O, Q] {

  dim Q = (W + 2*padding - S) / stride + 1;
  y = conv1d(x, w, stride, padding, 1);

  case one    { B = 1; C = 1; W = 1; O = 1; S = 1; }
  case ragged { B = 2; C = 5; W = 37; O = 19; S = 4; }
  case layer  { B = 1; C = 80; W = 3000; O = 384; S = 3; }
}
