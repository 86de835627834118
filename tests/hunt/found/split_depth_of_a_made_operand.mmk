// More splits of a reduction than cores, over an operand that a phase of its own makes: only the
// first split of the operand was made.
// mmk run split_depth_of_a_made_operand.mmk M=1 K=33 --set tile.K=32 --set cores=1
kernel sample(a: bf16[K, M], b: i8[49, K]) -> y0: bf16[M, 49] {
  let acc = (transpose(a) @ transpose(cast<bf16>(clamp(floor((b + b)), -4, 4))));
  y0 = log((abs(clamp(acc, -8, 8)) + 1));
  schedule {
    grid K = 5;
  }
}
