// The form of functions is one of two.
kernel f(x: f32[N]) -> y: f32[N] {
  y = gelu(x);
  check { math = quick; rtol = small; }
}
