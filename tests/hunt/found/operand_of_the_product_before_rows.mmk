// The rows read an operand of the product that their group starts with: the group took it as its own
// result, before it was there, and the compiler found a fault in itself.
// mmk run operand_of_the_product_before_rows.mmk M=40 N=64 --machine ascend910b3 --set fuse=rows
// mmk run operand_of_the_product_before_rows.mmk M=40 N=64 --machine ascend310p3 --set fuse=rows
// mmk run operand_of_the_product_before_rows.mmk M=40 N=64 --machine host
kernel k(x: f16[M, N], w: f16[N, N]) -> y: f32[M, N] {
  let h = cast<f16>(relu(x) + 1);
  let s = h @ w;
  y = softmax[N](s + h);
}
