// Factors are known when the kernel is compiled.
kernel k(x: f32[M], z: f32[N]) -> y: f32[M] {
  y[i] = x[N * i] + z[0];
}
