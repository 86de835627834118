// A result is a tensor in memory.
kernel k(a: f32[N]) -> c: f32 {
  c = a;
}
