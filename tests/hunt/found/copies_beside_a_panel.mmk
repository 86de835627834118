// Sample 68 of seed 900: the nearest legal variant of a refused one was refused in turn, for more
// states than a proof followed; what it takes has a limit still, three times as high.
// mmk run copies_beside_a_panel.mmk M=1 N=1 K=1 --machine ascend910b3 --set order=columns --set buffers.panel=2 --set 'keep=B(64)' --set tile.K=32 --data integers
kernel copies(a: i32[M, K], b: f16[K, N], x0: bf16[N]) -> y0: bf16[M, N] {
  let acc = cast<f16>(a) @ b;
  y0 = select(acc != x0, acc, x0);
  schedule {
    tile K = 160;
    buffers l0 = 3;
    store = overlapped;
  }
}
