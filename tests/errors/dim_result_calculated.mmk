// A shape is of names; dim names the calculation.
kernel half(x: f32[H]) -> y: f32[H / 2] {
  y[p] = x[2*p];
}
