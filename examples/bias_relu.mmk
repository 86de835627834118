// y = relu(x + bias): a kernel without a product. A vector is added along the last dimension of a
// tensor of four, as after a convolution with channels last. It is bound by memory.
kernel bias_relu(x: f16[B, H, W, C], bias: f32[C]) -> y: f16[B, H, W, C] {
  y = relu(x + bias);

  schedule {
    cores   = auto | 1;
    tile    W = 32 | 64 | 16, C = 256 | 128;
    buffers ub = 2 | 1, out = 2 | 1;
  }

  case one    { B = 1; H = 1; W = 1; C = 1; }
  case ragged { B = 2; H = 3; W = 17; C = 100; }
  case layer  { B = 8; H = 28; W = 28; C = 512; }
  check { rtol = 1e-3; atol = 1e-3; }
}
