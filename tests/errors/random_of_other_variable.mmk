// There is no j to have a number for.
kernel k(x: f32[M, N], seed: i32) -> y: f32[M] {
  y[i] = x[i, 0] * random[j](seed);
}
