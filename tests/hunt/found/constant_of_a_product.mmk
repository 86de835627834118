// An epilogue that comes to a scalar, whatever the product is: not what the fixpipe writes by itself.
// mmk run constant_of_a_product.mmk M=17 N=5 K=3
kernel sample(a: f32[M, K], b: f32[K, N], s0: f32 = -0.5) -> y: f32[M, N] {
  let acc = a @ b;
  y = select(acc >= 2, square(s0), s0 * s0);
}
