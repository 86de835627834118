// r stands in no dimension's place alone.
kernel k(x: f32[M]) -> y: f32[M] {
  y[i] = sum[r](r * x[i]);
}
