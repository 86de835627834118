// Every distinct convolution of ResNet-50, batch 1, with its bias and ReLU. A kernel for each stride:
// it is known when a kernel is compiled.

kernel stem(x: f16[B, C, H, W], w: const f16[O, C, 7, 7], bias: f32[O]) -> y: f16[B, O, P, Q] {
  dim P = (H - 1) / 2 + 1;
  dim Q = (W - 1) / 2 + 1;
  y[n, o, p, q] = relu(conv2d(x, w, 2, 3, 1)[n, o, p, q] + bias[o]);

  case one            { B = 1; C = 1; H = 1; W = 1; O = 1; }
  case ragged         { B = 2; C = 5; H = 9; W = 11; O = 7; }
  case layer_224_3_64 { B = 1; C = 3; H = 224; W = 224; O = 64; }
  check { rtol = 1e-2; atol = 1e-3; }
}

kernel pointwise(x: f16[B, C, H, W], w: const f16[O, C, 1, 1], bias: f32[O]) -> y: f16[B, O, H, W] {
  y[n, o, p, q] = relu(conv2d(x, w, 1, 0, 1)[n, o, p, q] + bias[o]);

  case one               { B = 1; C = 1; H = 1; W = 1; O = 1; }
  case ragged            { B = 2; C = 5; H = 9; W = 11; O = 7; }
  case layer_56_64_64    { B = 1; C = 64; H = 56; W = 56; O = 64; }
  case layer_56_64_256   { B = 1; C = 64; H = 56; W = 56; O = 256; }
  case layer_56_256_64   { B = 1; C = 256; H = 56; W = 56; O = 64; }
  case layer_56_256_128  { B = 1; C = 256; H = 56; W = 56; O = 128; }
  case layer_28_128_512  { B = 1; C = 128; H = 28; W = 28; O = 512; }
  case layer_28_512_128  { B = 1; C = 512; H = 28; W = 28; O = 128; }
  case layer_28_512_256  { B = 1; C = 512; H = 28; W = 28; O = 256; }
  case layer_14_256_1024 { B = 1; C = 256; H = 14; W = 14; O = 1024; }
  case layer_14_1024_256 { B = 1; C = 1024; H = 14; W = 14; O = 256; }
  case layer_14_1024_512 { B = 1; C = 1024; H = 14; W = 14; O = 512; }
  case layer_7_512_2048  { B = 1; C = 512; H = 7; W = 7; O = 2048; }
  case layer_7_2048_512  { B = 1; C = 2048; H = 7; W = 7; O = 512; }
  check { rtol = 1e-2; atol = 1e-3; }
}

kernel pointwise_stride2(
  x:    f16[B, C, H, W],
  w:    const f16[O, C, 1, 1],
  bias: f32[O]
) -> y: f16[B, O, P, Q] {

  dim P = (H - 1) / 2 + 1;
  dim Q = (W - 1) / 2 + 1;
  y[n, o, p, q] = relu(conv2d(x, w, 2, 0, 1)[n, o, p, q] + bias[o]);

  case one                { B = 1; C = 1; H = 1; W = 1; O = 1; }
  case ragged             { B = 2; C = 5; H = 9; W = 11; O = 7; }
  case layer_56_256_512   { B = 1; C = 256; H = 56; W = 56; O = 512; }
  case layer_28_512_1024  { B = 1; C = 512; H = 28; W = 28; O = 1024; }
  case layer_14_1024_2048 { B = 1; C = 1024; H = 14; W = 14; O = 2048; }
  check { rtol = 1e-2; atol = 1e-3; }
}

kernel window(x: f16[B, C, H, W], w: const f16[O, C, 3, 3], bias: f32[O]) -> y: f16[B, O, H, W] {
  y[n, o, p, q] = relu(conv2d(x, w, 1, 1, 1)[n, o, p, q] + bias[o]);

  case one              { B = 1; C = 1; H = 1; W = 1; O = 1; }
  case ragged           { B = 2; C = 5; H = 9; W = 11; O = 7; }
  case layer_56_64_64   { B = 1; C = 64; H = 56; W = 56; O = 64; }
  case layer_28_128_128 { B = 1; C = 128; H = 28; W = 28; O = 128; }
  case layer_14_256_256 { B = 1; C = 256; H = 14; W = 14; O = 256; }
  case layer_7_512_512  { B = 1; C = 512; H = 7; W = 7; O = 512; }
  check { rtol = 1e-2; atol = 1e-3; }
}

kernel window_stride2(
  x:    f16[B, C, H, W],
  w:    const f16[O, C, 3, 3],
  bias: f32[O]
) -> y: f16[B, O, P, Q] {

  dim P = (H - 1) / 2 + 1;
  dim Q = (W - 1) / 2 + 1;
  y[n, o, p, q] = relu(conv2d(x, w, 2, 1, 1)[n, o, p, q] + bias[o]);

  case one              { B = 1; C = 1; H = 1; W = 1; O = 1; }
  case ragged           { B = 2; C = 5; H = 9; W = 11; O = 7; }
  case layer_56_128_128 { B = 1; C = 128; H = 56; W = 56; O = 128; }
  case layer_28_256_256 { B = 1; C = 256; H = 28; W = 28; O = 256; }
  case layer_14_512_512 { B = 1; C = 512; H = 14; W = 14; O = 512; }
  check { rtol = 1e-2; atol = 1e-3; }
}
