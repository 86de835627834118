// The tile was shorter than the row that reduce = whole keeps, whose literal length nothing compared.
// mmk run whole_row_of_literal_length.mmk B=1 N=1
kernel sample(a: f32[B, 33, N]) -> y0: bf16[B, 33, N], y1: i32[B, N, 33] {
  let g0[i0, u1: 1, i2] = max[i1 | (i2 + 1) % 3 == 0](a[i0, i1, i2]);
  y0 = a;
  y1 = transpose(g0);
  schedule {
    reduce = whole;
  }
}
