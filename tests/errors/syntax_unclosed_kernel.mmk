// The kernel is not closed before the next begins.
kernel one(a: f32[N]) -> c: f32[N] {
  c = a;

kernel two(a: f32[N]) -> c: f32[N] {
  c = a;
}
