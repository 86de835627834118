// Sample 571 of seed 900: a panel shallower than a part of the product was said to be 0 deep, and
// every shape was refused; what fits the panel as a whole needs no parts.
// mmk run panel_of_a_parted_product.mmk M=1 N=1 K=17 --machine ascend910b3 --set order=columns --set 'keep=B(32)' --data integers
kernel parted(b: f32[K, N], e: f32[M, K]) -> y0: f32[M, N], y1: f16[N, M] {
  let second = e @ b;
  y0 = second;
  y1 = transpose(second);
  schedule {
    tile K = 64;
    grid K = 3;
  }
}
