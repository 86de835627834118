// The variables of a result follow the arguments.
fn transposed[j, i](x[M, N]) = x[i, j];
kernel turn(x: f32[M, N]) -> y: f32[N, M] {
  y = transposed(x);
}
