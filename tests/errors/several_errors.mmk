// Five independent errors; each is reported once, without errors that follow from them.
kernel k(a: f16[M, K], b: f16[N, K], bias: f33[N]) -> c: f32[M, N] {
  let acc = a @ b;
  let shifted = acc + bias;
  c = relu(shifted) + unknown;

  schedule {
    order = sideways;
  }
  case S { M = -1; K = 1; N = 1; }
}
