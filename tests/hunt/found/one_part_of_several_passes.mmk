// A condition leaves one part of a row of literal length, in each of three passes.
// mmk run one_part_of_several_passes.mmk --machine ascend910b3 --set reduce=two_pass
// mmk run one_part_of_several_passes.mmk --machine ascend310p3 --set reduce=two_pass --set tile.17=16
// mmk run one_part_of_several_passes.mmk --machine ascend950pr --set reduce=two_pass
kernel sample(s: f32[H, M, 17]) -> y: f32[H, M, 17] {
  y[h, i, j] = softmax[j | j < 10](s[h, i, j]);

  case one { H = 3; M = 70; }
}
