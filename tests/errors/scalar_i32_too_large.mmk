// 2^31 is beyond an i32.
kernel k(x: f32[H], seed: i32 = 1) -> y: f32[H] {
  y = seed * x;
  case a { H = 4; seed = 2147483648; }
}
