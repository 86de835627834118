// Sample 2122 of seed 1: loads into L1 are padded to whole fractals, here of 48, which was computed as
// if it were a power of two.
// mmk run padding_of_48.mmk M=1 N=1 K=81 --machine ascend910b3 --machine-set cube.n=48 --set stage.K=32 --data integers
kernel sample(a: f32[K, M], b: f32[N, K]) -> y0: f32[M, N] {
  let acc = (transpose(a) @ transpose(b));
  y0 = acc;
}
