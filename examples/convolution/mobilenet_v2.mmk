// The convolutions of MobileNet v2 beside its first one: each block widens an image by a pointwise
// convolution, filters each channel by itself, and narrows it again.

kernel widen(x: f16[B, C, H, W], w: const f16[O, C, 1, 1], bias: f32[O]) -> y: f16[B, O, H, W] {
  y[n, o, p, q] = relu6(conv2d(x, w, 1, 0, 1)[n, o, p, q] + bias[o]);

  case one              { B = 1; C = 1; H = 1; W = 1; O = 1; }
  case ragged           { B = 2; C = 5; H = 9; W = 11; O = 7; }
  case layer_112_16_96  { B = 1; C = 16; H = 112; W = 112; O = 96; }
  case layer_56_24_144  { B = 1; C = 24; H = 56; W = 56; O = 144; }
  case layer_28_32_192  { B = 1; C = 32; H = 28; W = 28; O = 192; }
  case layer_14_64_384  { B = 1; C = 64; H = 14; W = 14; O = 384; }
  case layer_14_96_576  { B = 1; C = 96; H = 14; W = 14; O = 576; }
  case layer_7_160_960  { B = 1; C = 160; H = 7; W = 7; O = 960; }
  case layer_7_320_1280 { B = 1; C = 320; H = 7; W = 7; O = 1280; }
  check { rtol = 1e-2; atol = 1e-3; }
}

kernel filter(x: f16[B, C, H, W], w: f16[C, 3, 3], bias: f32[C]) -> y: f16[B, C, H, W] {
  y[n, c, p, q] = relu6(depthwise_conv2d(x, w, 1, 1, 1)[n, c, p, q] + bias[c]);

  case one          { B = 1; C = 1; H = 1; W = 1; }
  case ragged       { B = 2; C = 5; H = 9; W = 11; }
  case layer_112_32 { B = 1; C = 32; H = 112; W = 112; }
  case layer_56_144 { B = 1; C = 144; H = 56; W = 56; }
  case layer_28_192 { B = 1; C = 192; H = 28; W = 28; }
  case layer_14_384 { B = 1; C = 384; H = 14; W = 14; }
  case layer_14_576 { B = 1; C = 576; H = 14; W = 14; }
  case layer_7_960  { B = 1; C = 960; H = 7; W = 7; }
  check { rtol = 1e-2; atol = 1e-3; }
}

kernel filter_stride2(x: f16[B, C, H, W], w: f16[C, 3, 3], bias: f32[C]) -> y: f16[B, C, P, Q] {
  dim P = (H - 1) / 2 + 1;
  dim Q = (W - 1) / 2 + 1;
  y[n, c, p, q] = relu6(depthwise_conv2d(x, w, 2, 1, 1)[n, c, p, q] + bias[c]);

  case one          { B = 1; C = 1; H = 1; W = 1; }
  case ragged       { B = 2; C = 5; H = 9; W = 11; }
  case layer_112_96 { B = 1; C = 96; H = 112; W = 112; }
  case layer_56_144 { B = 1; C = 144; H = 56; W = 56; }
  case layer_28_192 { B = 1; C = 192; H = 28; W = 28; }
  case layer_14_576 { B = 1; C = 576; H = 14; W = 14; }
  check { rtol = 1e-2; atol = 1e-3; }
}

kernel narrow(x: f16[B, C, H, W], w: const f16[O, C, 1, 1], bias: f32[O]) -> y: f16[B, O, H, W] {
  y[n, o, p, q] = conv2d(x, w, 1, 0, 1)[n, o, p, q] + bias[o];

  case one             { B = 1; C = 1; H = 1; W = 1; O = 1; }
  case ragged          { B = 2; C = 5; H = 9; W = 11; O = 7; }
  case layer_112_32_16 { B = 1; C = 32; H = 112; W = 112; O = 16; }
  case layer_56_96_24  { B = 1; C = 96; H = 56; W = 56; O = 24; }
  case layer_56_144_24 { B = 1; C = 144; H = 56; W = 56; O = 24; }
  case layer_28_144_32 { B = 1; C = 144; H = 28; W = 28; O = 32; }
  case layer_28_192_32 { B = 1; C = 192; H = 28; W = 28; O = 32; }
  case layer_14_192_64 { B = 1; C = 192; H = 14; W = 14; O = 64; }
  case layer_14_384_64 { B = 1; C = 384; H = 14; W = 14; O = 64; }
  case layer_14_384_96 { B = 1; C = 384; H = 14; W = 14; O = 96; }
  case layer_14_576_96 { B = 1; C = 576; H = 14; W = 14; O = 96; }
  case layer_7_576_160 { B = 1; C = 576; H = 7; W = 7; O = 160; }
  case layer_7_960_160 { B = 1; C = 960; H = 7; W = 7; O = 160; }
  case layer_7_960_320 { B = 1; C = 960; H = 7; W = 7; O = 320; }
  check { rtol = 1e-2; atol = 1e-3; }
}
