// The windows are arguments, not brackets.
kernel pool(x: f32[B, C, H, W]) -> y: f32[B, C, P, Q] {
  dim P = H / 2;
  dim Q = W / 2;
  y = max_pool[H, W](x, 2, 2);
}
