// The bound of rounding errors is added or not.
kernel k(x: f32[N]) -> y: f32[N] {
  y = x;
  check { rounding = 2; }
}
