// Sample 256 of seed 990000: B is multiplied in panels of 16 columns, and those of a tile of 8 columns
// reached into the next slot of the emulated L0B.
// mmk run panel_of_few_columns.mmk M=1 N=1 K=65 --machine ascend910b3 --machine-set cube.n=8 --set tile.N=8 --data integers --seed 256
kernel sample(a: f16[K, M], b: f16[K, N]) -> y0: i8[M, N] {
  let acc = (transpose(a) @ b);
  y0 = acc;
}
