// A dimension has a name.
kernel k(x: f32[M]) -> y: f32[M] {
  let t[p: M / 2] = x[p];
  y[i] = x[i] + t[0];
}
