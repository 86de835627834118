// A long depth that is a number leaves paths that no dimensions take, of which the proof took one.
// mmk run path_that_no_dimensions_take.mmk M=1 N=1 --machine ascend310p3
kernel sample(a: f16[M, 2093], b: f16[N, 2093], x0: i8[M, N]) -> y1: i8[N, M] {
  let acc = (a @ transpose(b));
  y1 = transpose(min(acc, x0) + x0);
}
