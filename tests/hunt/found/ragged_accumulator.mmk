// An accumulator of 60 columns: sums were written in whole vectors, the last of each row over the
// first columns of the next row.
// mmk run ragged_accumulator.mmk M=12 N=60 K=65 --machine ascend910b3 --machine-set cube.m=4 --machine-set cube.n=20 --set tile.M=12 --set tile.N=60 --set tile.K=32 --set buffers.l0=1 --data integers
kernel sample(a: f16[M, K], b: f16[K, N]) -> y: f32[M, N] {
  y = a @ b;
}
