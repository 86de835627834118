// A convolution and the largest of each 2 x 2 of its results; and means of windows.
kernel conv_max_pool(x: f16[B, C, H, W], w: f16[O, C, 3, 3], bias: f32[O]) -> y: f16[B, O, P, Q] {
  dim P = (H - 2) / 2 + 1;
  dim Q = (W - 2) / 2 + 1;
  let z[n, o, h: H, v: W] = relu(conv2d(x, w, 1, 1, 1)[n, o, h, v] + bias[o]);
  y = max_pool2d(z, 2, 2, 0);

  case one    { B = 1; C = 1; H = 2; W = 2; O = 1; }
  case ragged { B = 2; C = 5; H = 11; W = 9; O = 7; }
  case layer  { B = 1; C = 64; H = 32; W = 32; O = 64; }
  check { rtol = 1e-2; atol = 1e-3; }
}

kernel avg_pool(x: f16[B, C, H, W]) -> y: f16[B, C, P, Q] {
  dim P = (H - 1) / 2 + 1;
  dim Q = (W - 1) / 2 + 1;
  y = avg_pool2d(x, 3, 2, 1);

  case one    { B = 1; C = 1; H = 1; W = 1; }
  case ragged { B = 2; C = 5; H = 17; W = 31; }
  case layer  { B = 1; C = 192; H = 28; W = 28; }
}
