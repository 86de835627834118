// A number of positions alone is taken modulo 2^32 as an element; the reference took the nearest i32.
// mmk run position_beyond_32_bits.mmk N=7 --machine host
kernel k(x: i8[N]) -> y: i32[N], z: i8[N], f: f32[N] {
  y[i] = i * 1073741824 * 4 - 5 + x[i] * 0;
  z[i] = i * 1073741824 * 4 - 5;
  f[i] = i * 1073741824 * 4 - 5;
}
