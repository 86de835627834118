// The function multiplies matrices, and the call gives it vectors.
fn gram(x) = x @ transpose(x);

kernel k(a: f32[N]) -> c: f32[N, N] {
  c = gram(a);
}
