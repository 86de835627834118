// A scalar has no layout.
kernel scale(x: f32[N], factor: const f32 = 2) -> y: f32[N] {
  y = x * factor;
}
