// Index notation as IR. FileCheck reads this file: see index_notation.test, which also compares the
// pairs with each other.
kernel product_indexed(a: f16[M, K], b: f16[N, K], r: f32[N]) -> c: f32[M, N] {
  c[i, j] = relu(sum[k](a[i, k] * b[j, k]) + r[j]);
}
kernel product_plain(a: f16[M, K], b: f16[N, K], r: f32[N]) -> c: f32[M, N] {
  c = relu(a @ transpose(b) + r);
}
kernel softmax_indexed(x: f16[M, N]) -> y: f16[M, N] { y[i, j] = softmax[j](x[i, j]); }
kernel softmax_plain(x: f16[M, N]) -> y: f16[M, N] { y = softmax[N](x); }

// A product reads its operands in the order of their dimensions; another order is written out.
// CHECK-LABEL: mmk.kernel @heads
// CHECK:         %[[Q:.*]] = linalg.generic {{.*}} ins(%q : tensor<?x?x?x?xf16>)
// CHECK:         %[[K:.*]] = linalg.generic {{.*}} ins(%k : tensor<?x?x?x?xf16>)
// CHECK:         linalg.contract {{.*}} ins(%[[Q]], %[[K]]
kernel heads(q: f16[B, M, H, D], k: f16[B, N, H, D]) -> s: f32[B, H, M, N] {
  s[b, h, i, j] = sum[d](q[b, i, h, d] * k[b, j, h, d]);
}

// The element that the condition leaves out is not read into the sum: NaN times 0 would be.
// CHECK-LABEL: mmk.kernel @causal
// CHECK:         linalg.generic
// CHECK:           linalg.index
// CHECK:           arith.cmpi sle
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK:           arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK:           arith.addf
kernel causal(x: f16[M, N]) -> y: f32[M] {
  y[i] = sum[j | j <= i](x[i, j]);
}

// CHECK-LABEL: mmk.kernel @window
// CHECK:         %[[W:.*]] = mmk.window %x at #{{.*}} ["N", "3"] pad %{{.*}} : f32 : tensor<?xf32> -> tensor<?x?xf32>
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[W]] :
kernel window(x: f32[N]) -> y: f32[N] {
  y[i] = sum[r: 3](pad(x, 0)[i + r - 1]);
}

// A function over tensors, written out, called, and read by its elements.
kernel pool_written(x: f16[B, C, H, W]) -> y: f16[B, C, P, Q] {
  dim P = (H - 3) / 2 + 1;
  dim Q = (W - 3) / 2 + 1;
  y[n, c, p, q] = max[r: 3, t: 3](x[n, c, 2*p + r, 2*q + t]);
}

kernel pool_called(x: f16[B, C, H, W]) -> y: f16[B, C, P, Q] {
  dim P = (H - 3) / 2 + 1;
  dim Q = (W - 3) / 2 + 1;
  y = max_pool(x, 3, 2);
}

kernel pool_read(x: f16[B, C, H, W]) -> y: f16[B, C, P, Q] {
  dim P = (H - 3) / 2 + 1;
  dim Q = (W - 3) / 2 + 1;
  y[n, c, p, q] = max_pool(x, 3, 2)[n, c, p, q];
}
