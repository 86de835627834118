// y = softmax(x) along each row. The row that fits the chip is read once and written once; a longer
// one is read in parts (`reduce = two_pass`).
kernel softmax(x: f16[M, N]) -> y: f16[M, N] {
  y = softmax[N](x);

  schedule {
    reduce = whole | two_pass;
    tile   N = 2048;
  }

  case one    { M = 1; N = 1; }
  case ragged { M = 1023; N = 2047; }
  case square { M = 2048; N = 2048; }
  case odd    { M = 1009; N = 1021; }
  check { rtol = 1e-3; atol = 1e-5; }
}
