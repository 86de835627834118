// The function is for windows of 3 x 3.
fn smooth(x[H, W], w[3, 3])[p: H - 2, q: W - 2] = sum[r, s](x[p + r, q + s] * w[r, s]);
kernel blur(x: f32[H, W], w: f32[5, 5]) -> y: f32[P, Q] {
  dim P = H - 2;
  dim Q = W - 2;
  y = smooth(x, w);
}
