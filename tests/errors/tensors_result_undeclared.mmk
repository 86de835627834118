// The windows are 3 wide, and P is that of windows of 2.
kernel pool(x: f32[B, C, H, W]) -> y: f32[B, C, P, Q] {
  dim P = (H - 2) / 2 + 1;
  dim Q = (W - 2) / 2 + 1;
  y = max_pool(x, 3, 2);
}
