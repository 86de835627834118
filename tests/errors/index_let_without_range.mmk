// p stands in no dimension's place alone.
kernel k(x: f32[M]) -> y: f32[M] {
  let t[p] = 2 * p;
  y[i] = x[i] + t[i];
}
