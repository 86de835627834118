// The stride is never used.
fn windows(x[N], k: int, s: int)[i: N - k + 1] = max[r: k](x[i + r]);
kernel pool(x: f32[N]) -> y: f32[P] {
  dim P = N - 2;
  y = windows(x, 3, 2);
}
