// Seven heads cannot share two groups of three evenly.
kernel k(x: f32[H], y: f32[G], group: int = 3) -> z: f32[H], u: f32[G] {
  require H == G * group && group > 1;
  z = x;
  u = y;
  case odd { H = 7; G = 2; }
}
