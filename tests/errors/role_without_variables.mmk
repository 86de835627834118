// Without index notation dimensions have their names only.
kernel gram(x: f16[M, K]) -> c: f32[M, M] {
  c = x @ transpose(x);
  schedule { tile c.i = 64; }
}
