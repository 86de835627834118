// D is neither in a result, nor inside a product, nor reduced, so that no grid divides it.
kernel k(a: f32[M, N], d: f32[M, D]) -> c: f32[M] {
  let unused = d + 1;
  c = sum[N](a);
  schedule { grid D = 2; }
}
