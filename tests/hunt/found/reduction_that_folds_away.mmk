// The minimum is subtracted from itself: no pass over the rows is left, and nothing wrote the result.
// The host crashed.
// mmk run reduction_that_folds_away.mmk B=64 N=5 --machine ascend910b3
// mmk run reduction_that_folds_away.mmk B=64 N=5 --machine ascend910b3 --set grid.B=3
// mmk run reduction_that_folds_away.mmk B=64 N=5 --machine ascend950pr --set tile.B=8 --set reduce=two_pass
// mmk run reduction_that_folds_away.mmk B=64 N=5 --machine host
kernel k(a: i32[B, N], x: i32 = 3) -> y: i32[1, N] {
  let r = min[B](a);
  y = r - r + x;
}
