// A linear layer with a ReLU, without a schedule: mmk chooses the variant of each shape.
kernel linear_relu(x: f16[M, K], w: f16[K, N], bias: f32[N]) -> y: f16[M, N] {
  y = cast<f16>(relu(x @ w + bias));

  case square { M = 2048; N = 5120; K = 5120; }
  case long   { M = 128; N = 128; K = 65536; }
  case small  { M = 300; N = 3000; K = 700; }
}
