// Reductions over a few literal taps of a window. FileCheck reads this file: see unrolled_windows.test.

// One window for each tap, in the dimensions that are kept. A filter is read as a window, too. No
// window of the pooling reaches the padding, which is left out.
// AICORE-LABEL: mmk.kernel @pool
// AICORE-COUNT-4: mmk.window %x at #{{.*}} ["B", "P", "Q", "C"] :
// AICORE-NOT:     mmk.window
// AICORE:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins({{(%[a-z0-9]+, ){3}%[a-z0-9]+ :}}
// AICORE-NOT:     reduction
// HOST-LABEL:   mmk.kernel @pool
// HOST:           mmk.window %x at #{{.*}} ["B", "P", "Q", "C", "2", "2"]
// HOST:           "reduction", "reduction"]
kernel pool(x: f16[B, H, W, C]) -> y: f16[B, P, Q, C] {
  dim P = H / 2;
  dim Q = W / 2;
  y[b, p, q, c] = max[r: 2, s: 2](pad(x, -inf)[b, 2*p + r, 2*q + s, c]);
}

// AICORE-LABEL: mmk.kernel @depthwise
// AICORE-DAG:     mmk.window %x at #{{.*}} ["C", "W"] pad
// AICORE-DAG:     mmk.window %w at #{{.*}} ["C"] :
// AICORE:         linalg.generic {{.*}} ins({{(%[a-z0-9]+, ){5}%[a-z0-9]+ :}}
// AICORE-NOT:     reduction
kernel depthwise(x: f32[C, W], w: f32[C, 3], bias: f32[C]) -> y: f32[C, W] {
  y[c, q] = max(sum[s](pad(x, 0)[c, q + s - 1] * w[c, s]) + bias[c], 0);
}

// Taps of a dimension, more than 25 of them, and windows whose elements lie apart along the last
// dimension stay reductions.
// AICORE-LABEL: mmk.kernel @dynamic
// AICORE:         mmk.window %x at #{{.*}} ["C", "W", "S"]
// AICORE:         "reduction"]
kernel dynamic(x: f32[C, W], w: f32[C, S]) -> y: f32[C, W] {
  y[c, q] = sum[s](pad(x, 0)[c, q + s - 1] * w[c, s]);
}

// AICORE-LABEL: mmk.kernel @many
// AICORE:         mmk.window %x at #{{.*}} ["C", "W", "26"]
// AICORE:         "reduction"]
kernel many(x: f32[C, W]) -> y: f32[C, W] {
  y[c, q] = sum[s: 26](pad(x, 0)[c, q + s]);
}

// AICORE-LABEL: mmk.kernel @apart
// AICORE:         mmk.window %x at #{{.*}} ["C", "Q", "2"]
// AICORE:         "reduction"]
// AICORE-NOT:     mmk.window %x at #{{.*}} ["C", "Q"]
kernel apart(x: f32[C, W]) -> y: f32[C, Q] {
  dim Q = W / 2;
  y[c, q] = max[s: 2](pad(x, -inf)[c, 2*q + s]);
}
