// A position lies along one dimension.
kernel k(a: f32[M, N]) -> c: i32 {
  c = argmax[M, N](a);
}
