// A result that is transposed reads windows of a copy: mmk looked for a product behind it, and crashed.
// mmk run window_of_copy_transposed.mmk --data integers --seed 3
kernel k(x: f32[2, 3, 4], w: f32[3, 4]) -> y: f32[3, 4, 4] {
  let t[i, j: 1, k] = x[i, 2*j + 2, k];
  let v[i: 4, j: 1, k: 4] = select(i < 2, pad(t, 0)[i, j, k], pad(t, 0)[i - 2, j, k]);
  let u[i, j, k] = w[j, k] + v[i, 0, k];
  y[i, j, k] = u[k, i, j];
}
