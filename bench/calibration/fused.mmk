// The fused kernel as the vendor's simulator ran it: a base tile of 128 x 128, single buffers.
kernel fused(a: f16[M, K], b: f16[K, N], bias: f32[N], alpha: f32 = 0.001) -> c: f32[M, N] {
  c = leaky_relu(a @ b + bias, alpha);

  schedule {
    tile    M = 128, N = 128, K = 128;
    stage   K = 512;
    buffers l1 = 1, l0 = 1, acc = 1, out = 1;
  }
}
