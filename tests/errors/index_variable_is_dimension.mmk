// M is a size, i goes over it.
kernel k(x: f32[M]) -> y: f32[M] {
  y[M] = x[M];
}
