// Of two names before '=', the first is the word dim.
kernel k(x: f32[H]) -> y: f32[P] {
  din P = H + 1;
  y = P;
}
