// any joins conditions.
fn some[D](x) = any[D](x);
kernel k(x: f32[M, N]) -> y: f32[M] {
  y[i] = select(some[j](x[i, j]), 1, 0);
}
