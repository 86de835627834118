// Weights that one loop rounds to f16 without the factors of their rows (passes/chains/weights_range.cpp).

// Each is within f16 without its factor: one group computes both products.
// FITS-COUNT-6: mmk.fusion_group over ["M", "N"] reduce [1]
kernel gates(q: f16[M, D], k: f16[N, D], v: f16[N, E]) -> o: f32[M, E] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  o[i, e] = sum[j](cast<f16>(sigmoid(s[i, j]) / sum[j](sigmoid(s[i, j]))) * v[j, e]);
  schedule { tile M = 64, N = 64, D = 64, E = 64; fuse = products; }
}

kernel sinks(q: f16[M, D], k: f16[N, D], v: f16[N, E], sink: f32[M]) -> o: f32[M, E] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  let m[i] = max(max[j](s[i, j]), sink[i]);
  let p[i, j] = exp(s[i, j] - m[i]) / (sum[j](exp(s[i, j] - m[i])) + exp(sink[i] - m[i]));
  o[i, e] = sum[j](cast<f16>(p[i, j]) * v[j, e]);
  schedule { tile M = 64, N = 64, D = 64, E = 64; fuse = products; }
}

kernel causal(q: f16[M, D], k: f16[N, D], v: f16[N, E]) -> o: f32[M, E] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  let m[i] = max[j | j <= i](s[i, j]);
  let p[i, j] = exp(s[i, j] - m[i]) / sum[j | j <= i](exp(s[i, j] - m[i]));
  o[i, e] = sum[j | j <= i](cast<f16>(p[i, j]) * v[j, e]);
  schedule { tile M = 64, N = 64, D = 64, E = 64; fuse = products; }
}

kernel dropped(q: f16[M, D], k: f16[N, D], v: f16[N, E], keep: i8[M, N]) -> o: f32[M, E] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  o[i, e] = sum[j](cast<f16>(softmax[j](s[i, j]) * keep[i, j] / 0.9) * v[j, e]);
  schedule { tile M = 64, N = 64, D = 64, E = 64; fuse = products; }
}

// No factor is left out: the weights are rounded as they are.
kernel plain(q: f16[M, D], k: f16[N, D], v: f16[N, E], lse: f32[M]) -> o: f32[M, E], n: f32[M] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  o[i, e] = sum[j](cast<f16>(exp(s[i, j] - lse[i])) * v[j, e]);
  n[i] = sum[j](s[i, j]);
  schedule { tile M = 64, N = 64, D = 64, E = 64; fuse = products; }
}

// bf16 has the range of f32.
kernel wide(q: bf16[M, D], k: bf16[N, D], v: bf16[N, E]) -> o: f32[M, E] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  o[i, e] = sum[j](cast<bf16>(abs(s[i, j]) / sum[j](abs(s[i, j]))) * v[j, e]);
  schedule { tile M = 64, N = 64, D = 64, E = 64; fuse = products; }
}

// These may exceed it: the products of q and k themselves, an exponential whose maximum leaves
// out elements that have weights, and an exponential times a product.
// EXCEEDS-COUNT-3: error: fuse = products divides by sums of rows, and multiplies by other factors of rows, behind the second product; the weights without them may exceed the range of f16; nearest legal: fuse = all, or weights of bf16
kernel absolute(q: f16[M, D], k: f16[N, D], v: f16[N, E]) -> o: f32[M, E] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  o[i, e] = sum[j](cast<f16>(abs(s[i, j]) / sum[j](abs(s[i, j]))) * v[j, e]);
  schedule { tile M = 64, N = 64, D = 64, E = 64; fuse = products; }
}

kernel beyond(q: f16[M, D], k: f16[N, D], v: f16[N, E]) -> o: f32[M, E] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  let m[i] = max[j | j <= i](s[i, j]);
  o[i, e] = sum[j](cast<f16>(exp(s[i, j] - m[i]) / sum[j](exp(s[i, j] - m[i]))) * v[j, e]);
  schedule { tile M = 64, N = 64, D = 64, E = 64; fuse = products; }
}

kernel gradients(q: f16[M, D], k: f16[N, D], v: f16[N, D], g: f16[M, D]) -> o: f32[M, D] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  let z[i, j] = sum[d](g[i, d] * v[j, d]);
  o[i, e] = sum[j](cast<f16>(softmax[j](s[i, j]) * z[i, j]) * k[j, e]);
  schedule { tile M = 64, N = 64, D = 64; fuse = products; }
}
