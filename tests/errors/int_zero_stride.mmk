// A stride of 0 divides by zero at every size.
kernel strided(x: f32[H], stride: int = 0) -> y: f32[P] {
  dim P = H / stride;
  y[p] = p + x[0];
  case a { H = 5; }
}
