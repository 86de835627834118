// Sums that wait between two passes on the host, in a tile of fewer elements than eight rows of a
// block: its blocks had no rows.
// mmk run small_tile_of_waiting_sums.mmk B=1 N=257 M=1 --machine host --set fuse=none --set tile.M=16 --set tile.N=32 --set tile.128=16 --set stage.128=16 --set stage.N=32
kernel sample(q: f32[B, M, 128], k: f32[B, N, 128], v: f32[B, N, 128]) -> y: f32[B, M, 128] {
  let s[b, i, j] = 0.08838834764831843 * sum[d](q[b, i, d] * k[b, j, d]);
  let p[b, i, j] = softmax[j](s[b, i, j]);
  y[b, i, e] = sum[j](p[b, i, j] * v[b, j, e]);
}
