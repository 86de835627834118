// A function over tensors reads their elements.
fn centred(x[M, N])[i, j: N] = x - sum[k](x[i, k]) / N;
kernel centre(x: f32[M, N]) -> y: f32[M, N] {
  y = centred(x);
}
