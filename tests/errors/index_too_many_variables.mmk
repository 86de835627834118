// No kernel needs seventeen.
kernel k(x: f32[M]) -> y: f32[M] {
  y[i] = x[i] + sum[a: 2, b: 2, c: 2, d: 2, e: 2, f: 2, g: 2, h: 2, j: 2, l: 2, m: 2, n: 2, o: 2, p: 2, q: 2, r: 2](1);
}
