// Columns go along N and X as one, of which N stands for M and N.
// mmk run columns_of_joined_rows.mmk --machine ascend910b3 --set tile.X=4
kernel sample(a: i8[M, N, X]) -> y: i32[M, N, X] {
  let all = sum[M, N, X](a);
  y = all;

  case one  { M = 2; N = 1; X = 1; }
  case more { M = 4; N = 5; X = 7; }
}
