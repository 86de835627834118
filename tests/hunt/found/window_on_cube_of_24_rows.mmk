// A product that reads windows from L1 is computed transposed, so its columns are rows of the cube: their
// default tile was not a multiple of the cube's 24 rows, and mmk crashed.
// mmk run window_on_cube_of_24_rows.mmk B=1 C=1 O=1 X0=1 T0=1 X1=1 T1=2 --machine ascend910b3 --machine-set cube.m=24 --machine-set cube.max_extent=64 --machine-set cube_cores=1 --set tile.CR0R1=16 --set 'window=direct(32)' --data integers --seed 298
kernel k(x: f16[B, C, X0, X1], w: f16[O, C, T0, T1], bias: f32[O]) -> y: f32[B, O, 33, 15] {
  y[n, o, p0, p1] = max(sum[c, r0, r1](w[o, c, r0, r1] * pad(x, 0)[n, c, p0 + 3*r0, 3*p1 + r1 - 2]) + bias[o], 0);
}
