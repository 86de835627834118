// The project's main example with a result of half precision: its leaky ReLU is one that the fixpipe
// of some chips has, which stores a product. The kernel then needs no vector core, and none of the
// time that a task of both kinds of cores takes more. `mmk explain` says what that would gain;
// --machine-set fixpipe_leaky_relu.use=on uses it.
kernel matmul_bias_leakyrelu_half(
  a:     f16[M, K],
  b:     f16[K, N],
  bias:  f32[N],
  alpha: f32 = 0.001
) -> c: f16[M, N] {

  c = leaky_relu(a @ b + bias, alpha);

  case S1     { M = 2048; N = 2048; K = 2048; }
  case S2     { M = 4096; N = 1024; K = 4096; }
  case S3     { M = 1024; N = 512; K = 1024; }
  case S4     { M = 512; N = 128; K = 512; }
  case ragged { M = 300; N = 513; K = 301; alpha = 0.1; }
  // Half of a unit in the last place of f16 is 5e-4 of a value. The fixpipe of the 950 takes 19 bits of
  // alpha, which only a kernel with fast math allows.
  check { rtol = 2e-3; atol = 1e-3; math = fast; }
}
