// Group normalisation of the channels of an image, then silu. C channels of each of G groups are
// reduced together with the pixels.
kernel group_norm_silu(
  x:      f16[B, G, C, H, W],
  weight: f32[G, C, 1, 1],
  bias:   f32[G, C, 1, 1]
) -> y: f16[B, G, C, H, W] {

  let centred = x - mean[C, H, W](x);
  y = silu(centred / sqrt(mean[C, H, W](square(centred)) + 0.00001) * weight + bias);

  case one    { B = 1; G = 1; C = 1; H = 1; W = 1; }
  case ragged { B = 2; G = 3; C = 5; H = 7; W = 33; }
  case layer  { B = 8; G = 8; C = 4; H = 64; W = 64; }
  check { rtol = 2e-3; atol = 2e-3; }
}
