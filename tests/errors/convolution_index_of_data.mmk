// Offsets that are read from memory, as in a deformable convolution, are no indices.
kernel k(x: f16[C, H], offset: i32[H], w: f16[O, C]) -> y: f32[O, H] {
  y[o, p] = sum[c](pad(x, 0)[c, p + offset[p]] * w[o, c]);
}
