// Dimensions begin with an upper-case letter in functions, too.
fn transposed(x[rows, columns])[j, i] = x[i, j];
kernel turn(x: f32[M, N]) -> y: f32[N, M] {
  y = transposed(x);
}
