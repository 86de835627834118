// A vector has no two dimensions to swap.
kernel k(a: f32[N]) -> c: f32[N] {
  c = transpose(a);
}
