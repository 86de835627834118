// A value is no dimension.
kernel half(x: f32[H]) -> y: f32[P] {
  let P = H / 2;
  y[p] = x[2*p];
}
