// Poolings behind a product, as combinations of products: one for each tap. FileCheck reads this file:
// see pooled_products.test.

// The windows of the convolution begin at each tap; the pooling is elementwise.
// FORM-LABEL: mmk.kernel @pool
// FORM-SAME:    dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NHV", "RSC"]
// FORM-COUNT-4: mmk.window %x at #{{.*}} ["B", "P", "Q", "R", "S", "C"] pad
// FORM-NOT:     "reduction"
// FORM:         mmk.return
// USUAL-LABEL: mmk.kernel @pool
// USUAL:         mmk.window %x at #{{.*}} ["B", "H", "W", "R", "S", "C"] pad
// USUAL-NOT:     mmk.window %x
// USUAL:         mmk.return

// On AI cores one group computes all four, and what combines them.
// TILED-LABEL: mmk.kernel @pool
// TILED:         mmk.fusion_group tile [32, 32] steps [144, 48, 144, 48, 144, 48, 144, 48]
// TILED-COUNT-4:   linalg.contract
// TILED:           linalg.generic {{.*}} ins({{(%[a-z0-9_]+, ){4}%[a-z0-9_]+ :}}
// TILED-NOT:     mmk.fusion_group
// TILED:         mmk.return

// They share the lines of the image and the weights: both are loaded once, and each part of the
// weights is multiplied with the windows of one tap after the other.
// AICORE-LABEL: aicore.kernel @pool
// AICORE-COUNT-1: %x_l1 = aicore.alloc "x" of "l1"
// AICORE-NOT:     of "l1" copies {{.*}}memref<144x
// AICORE:         %acc{{[123]?}}_l0c = aicore.alloc
// AICORE:         aicore.load_l0 %w_l1
// AICORE:         aicore.load3d %x_l1{{.*}} left 1
// AICORE:         aicore.mmad {{.*}} -> %acc_l0c[
// AICORE:         aicore.load3d %x_l1{{.*}} left 0
// AICORE:         aicore.mmad {{.*}} -> %acc1_l0c[
// AICORE:         aicore.load3d %x_l1{{.*}} left 1
// AICORE:         aicore.mmad {{.*}} -> %acc2_l0c[
// AICORE:         aicore.load3d %x_l1{{.*}} left 0
// AICORE:         aicore.mmad {{.*}} -> %acc3_l0c[

// A CPU has no accumulators of tiles: the products follow each other.
// HOST-LABEL: mmk.kernel @pool
// HOST:         mmk.fusion_group
// HOST:           linalg.contract
// HOST-NOT:       linalg.contract
// HOST:         mmk.fusion_group
kernel pool(x: f16[B, H, W, C], w: f16[R, S, C, O], bias: f32[O]) -> y: f16[B, P, Q, O] {
  dim P = H / 2;
  dim Q = W / 2;
  let z[n, h: H, v: W, o] =
      relu(sum[r, s, c](pad(x, 0)[n, h + r - 1, v + s - 1, c] * w[r, s, c, o]) + bias[o]);
  y[n, p, q, o] = max[i: 2, j: 2](z[n, 2*p + i, 2*q + j, o]);
}

// With channels first the image, the weights and the result are copied once, and what is combined lies
// in the order of the products.
// FIRST-LABEL: mmk.kernel @first
// FIRST:         [[IMAGE:%.*]] = mmk.fusion_group
// FIRST:         [[WEIGHTS:%.*]] = mmk.fusion_group
// FIRST:         [[Y:%.*]] = mmk.fusion_group
// FIRST-COUNT-4:   linalg.contract
// FIRST:         mmk.fusion_group
// FIRST-NOT:     mmk.fusion_group
// FIRST:         mmk.return
kernel first(x: f16[B, C, H, W], w: f16[O, C, 3, 3], bias: f32[O]) -> y: f32[B, O, P, Q] {
  dim P = (H - 2) / 2 + 1;
  dim Q = (W - 2) / 2 + 1;
  let z[n, o, h: H, v: W] = relu(conv2d(x, w, 1, 1, 1)[n, o, h, v] + bias[o]);
  y = max_pool2d(z, 2, 2, 0);
}

// The mean of matrices without windows; the sum is divided behind the products.
// MEAN-LABEL: mmk.kernel @mean
// MEAN-COUNT-2: linalg.contract
// MEAN:         arith.addf
// MEAN:         arith.divf
// MEAN-NOT:     "reduction"
// MEAN:         mmk.return
kernel mean(x: f16[M, K], w: f16[K, N]) -> y: f32[P, N] {
  dim P = M / 2;
  let z[i, j] = sum[k](x[i, k] * w[k, j]);
  y[p, j] = mean[t: 2](z[2*p + t, j]);
}
