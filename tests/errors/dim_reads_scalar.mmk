// A size cannot depend on a number that is known only when the kernel runs.
kernel k(x: f32[H], n: i32) -> y: f32[P] {
  dim P = H + n;
  y = P + n;
}
