// A product of weights is read by another group and a result is computed from it: the loop of products
// did not store it, and the watch of the host took rows of the second result for columns.
// mmk run product_of_weights_and_another_result.mmk M=3 N=2 K=5 P=2 --set fuse=products --data integers
// mmk run product_of_weights_and_another_result.mmk M=3 N=2 K=5 P=2 --machine ascend950pr --set fuse=products --data integers
// mmk run product_of_weights_and_another_result.mmk M=3 N=2 K=5 P=2 --machine host --watch --data integers
kernel sample(a: f32[M, K], b: f32[K, N], d: f32[P, N], d2: f32[P, N]) -> y0: f32[M, P], y1: i32[M, P] {
  let s = a @ b;
  let c = min(s, 3) @ transpose(d);
  let c2 = (s + 1) @ transpose(d2);
  y0 = c + c2;
  y1 = c;
}
