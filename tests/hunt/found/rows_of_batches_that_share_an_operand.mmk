// The rows of all batches are one dimension; the tile of an operand under a condition ended with the first batch.
// mmk run rows_of_batches_that_share_an_operand.mmk --machine ascend910b3
// mmk run rows_of_batches_that_share_an_operand.mmk --machine ascend310p3
// mmk run rows_of_batches_that_share_an_operand.mmk --machine ascend950pr
kernel sample(a: f16[B, M, K], b: f16[K, N]) -> y: f32[B, M, N] {
  y[c, i, j] = sum[k | k <= j](a[c, i, k] * b[k, j]);

  case one { B = 3; M = 20; N = 300; K = 200; }
}
