// P follows from H; a case could only repeat it or contradict it.
kernel k(x: f32[H]) -> y: f32[P] {
  dim P = H / 2 + 1;
  y = P;
  case a { H = 4; P = 3; }
}
