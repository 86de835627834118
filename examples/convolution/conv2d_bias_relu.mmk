// A convolution with what follows it in a network: a bias of each channel, a residual and a ReLU. They
// are applied to the sums before their only store.
kernel conv2d_bias_relu(
  x:        f16[B, C, H, W],
  w:        f16[O, C, 3, 3],
  bias:     f32[O],
  residual: f16[B, O, H, W]
) -> y: f16[B, O, H, W] {

  y[n, o, p, q] = relu(conv2d(x, w, 1, 1, 1)[n, o, p, q] + bias[o] + residual[n, o, p, q]);

  case one    { B = 1; C = 1; H = 1; W = 1; O = 1; }
  case ragged { B = 2; C = 5; H = 11; W = 9; O = 7; }
  case layer  { B = 1; C = 128; H = 28; W = 28; O = 128; }
  check { rtol = 1e-2; atol = 1e-3; }
}
