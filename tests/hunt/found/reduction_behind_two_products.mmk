// The sums of the second product joined the group of both as if they were elementwise work behind it.
// mmk run reduction_behind_two_products.mmk M=33 K=40 N=70 P=20
kernel sample(a: f16[M, K], b: f16[K, N], d: f16[N, P]) -> y0: f32[M, P] {
  let chained = cast<f16>(relu(a @ b)) @ d;
  let r0 = max[P](chained);
  let r1 = sum[P](exp(chained - r0));
  y0 = exp(chained - r0) / r1;
  schedule {
    fuse = products;
  }
}
