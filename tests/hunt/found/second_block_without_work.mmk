// Splits of a reduction in a grid of columns that are not there: the second block has no work, the
// third has, and was not run.
// mmk run second_block_without_work.mmk M=1 N=1 K=72 --data integers
kernel sample(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    grid N = 2, K = 5;
  }
}
