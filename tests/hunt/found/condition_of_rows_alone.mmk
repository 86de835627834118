// The condition does not read what is reduced.
// mmk run condition_of_rows_alone.mmk --machine ascend910b3 --set order=rows
kernel sample(keep: i8[H, M], s: f32[H, M, 17]) -> y: bf16[H, M, 17] {
  let p[h, i, j] = softmax[j | keep[h, i] > 0](s[h, i, j]);
  y[h, i, j] = select(keep[h, i] > 0, cast<bf16>(p[h, i, j]), 0);

  case one { H = 3; M = 5; }
}
