// Two products with reductions between them, in one fusion group.
kernel attend(q: f16[B, M, D], k: f16[B, N, D], v: f16[B, N, E], scale: f32 = 0.125)
    -> o: f16[B, M, E], lse: f32[B, M] {
  let s[b, i, j] = scale * sum[d](q[b, i, d] * k[b, j, d]);
  o[b, i, e] = sum[j](cast<f16>(softmax[j](s[b, i, j])) * v[b, j, e]);
  lse[b, i] = logsumexp[j](s[b, i, j]);
  schedule { tile M = 64, N = 64, D = 64, E = 64; stage D = 64; fuse = products; preload = 2; }
}

// The columns of the first product are reduced; those of the second are not of the space.
// TILED-LABEL: mmk.kernel @attend
// TILED:         mmk.fusion_group over ["B", "M", "N"] reduce [2] tile [64, 64]
// TILED:           scf.for
// TILED:             [[Q:%.*]] = tensor.extract_slice %q[[[BATCH:%.*]], [[ROW:%.*]], 0]
// TILED:             [[K:%.*]] = tensor.extract_slice %k[[[BATCH]], 0, 0]
// TILED:             [[S:%.*]] = linalg.contract {{.*}} ins([[Q]], [[K]] :
// TILED:             [[P:%.*]]:2 = mmk.rows [[S]] along [array<i64: 0, 1, 2>] to [array<i64: 0, 1, 2>, array<i64: 0, 1>] {
// TILED:               mmk.row_reduce max
// TILED:               mmk.row_reduce add
// TILED:               [[W:%.*]] = arith.truncf
// TILED:               mmk.row_elements [[W]],
// TILED:             [[V:%.*]] = tensor.extract_slice %v[[[BATCH]], 0, 0]
// TILED:             [[O:%.*]] = linalg.contract {{.*}} ins([[P]]#0, [[V]] :
// TILED:             [[Y:%.*]] = linalg.generic {{.*}} ins([[O]] :
// TILED:             tensor.insert_slice [[Y]] into {{.*}}[[[BATCH]], [[ROW]], 0]

// Two parts of the first product, with their weights, are computed before the loop; in it one more,
// and the second product. The vector cores exchange both with the cube through rings of three.
// SPLIT-LABEL: aicore.kernel @attend
// SPLIT-SAME:    limits {D = 64 : i64, E = 64 : i64}
// SPLIT-DAG:     %scores_gm = aicore.alloc "scores" of "out" copies 3
// SPLIT-DAG:     %weights_gm = aicore.alloc "weights" of "out" copies 3
// SPLIT-DAG:     %result_gm = aicore.alloc "result" of "out" copies 3
// SPLIT-COUNT-3: aicore.spill %acc_l0c{{.*}} -> %scores_gm
// SPLIT:         aicore.fetch %scores_gm{{.*}} -> %value_ub
// SPLIT:         aicore.reduce max
// SPLIT:         aicore.reduce add
// SPLIT:         aicore.spill %out_ub{{.*}} -> %weights_gm
// SPLIT:         aicore.load %v
// SPLIT:         aicore.fetch %weights_gm{{.*}} -> %weights_l1
// SPLIT:         aicore.mmad
// SPLIT:         aicore.spill %acc_l0c{{.*}} -> %result_gm
// SPLIT:         aicore.fetch %result_gm
// SPLIT:         aicore.vec mul
// SPLIT:         aicore.vec add
// SPLIT:         aicore.store {{.*}} -> %lse
// SPLIT:         aicore.store {{.*}} -> %o

// Products come from L0C; only the weights pass global memory.
// COUPLED-LABEL: aicore.kernel @attend
// COUPLED-NOT:     scores_gm
// COUPLED:         aicore.drain %acc_l0c
// COUPLED:         aicore.spill %out_ub{{.*}} -> %weights_gm
// COUPLED:         aicore.fetch %weights_gm{{.*}} -> %weights_l1
// COUPLED:         aicore.drain %acc_l0c

// Without a reduction of rows, the products alone are a group; what divides the sum of squares is
// applied to the second product.
// SQUARES-LABEL: mmk.kernel @squares
// SQUARES:         mmk.fusion_group over ["M", "N"] reduce [1]
// SQUARES:           linalg.contract
// SQUARES:           linalg.contract
kernel squares(x: f16[M, K], w: f16[K, N], v: f16[N, E]) -> y: f32[M, E] {
  let h = x @ w;
  y = cast<f16>(max(h, 0)) @ v;
  schedule { tile M = 64, N = 64, K = 64, E = 64; fuse = products; }
}

// The weights are a result: they would need another pass.
// KEPT: error: fuse = products computes a product together with one that multiplies what is computed from its rows and needed nowhere else, and this kernel has no such two; nearest legal: fuse = all
kernel kept(q: f16[M, D], k: f16[N, D], v: f16[N, E]) -> o: f32[M, E], p: f32[M, N] {
  let w = softmax[N](q @ transpose(k));
  p = w;
  o = cast<f16>(w) @ v;
  schedule { tile M = 64, N = 64, D = 64, E = 64; fuse = products; }
}
