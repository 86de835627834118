// A comparison of scalars alone has no place in the code that sizes workspaces, and none in a watch.
// mmk run scalar_comparison.mmk M=1 N=1
kernel sample(a: f32[M, N], s0: f32 = 0.01, x1: bf16[N]) -> y0: f32[M, N], y1: f32[M, N] {
  y0 = max(sigmoid(a), select((2 > s0), x1, s0));
  y1 = cast<i8>(s0);
}
