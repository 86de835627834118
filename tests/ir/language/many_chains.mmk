// Chains of several first and second products, in one fusion group.

// Two first products of the same rows and columns. What their elements are computed with besides has
// one for each row, or for each column.
// DQ-LABEL: mmk.kernel @dq
// DQ:         mmk.fusion_group over ["M", "N"] reduce [1] tile [64, 64]
// DQ:           [[S:%.*]] = linalg.contract {{.*}} ins({{.*}} : tensor<?x?xf16>, tensor<?x?xf16>)
// DQ:           [[DP:%.*]] = linalg.contract {{.*}} ins({{.*}} : tensor<?x?xf16>, tensor<?x?xf16>)
// DQ:           [[DS:%.*]] = mmk.rows [[S]], {{[^ ]*}}, [[DP]], {{[^ ]*}} along [array<i64: 0, 1>, array<i64: 0>, array<i64: 0, 1>, array<i64: 0>]
// DQ:           linalg.contract {{.*}} ins([[DS]],
// DQ-NOT:     mmk.fusion_group

// The operands of both are loaded before the first is computed. Its sums stay in L0C: one spill
// after the loop brings them to the vector cores.
// SPLIT-LABEL: aicore.kernel @dq
// SPLIT-DAG:     %scores_gm = aicore.alloc "scores" of "out" copies 2
// SPLIT-DAG:     %scores_gm_{{.*}} = aicore.alloc "scores" of "out" copies 2
// SPLIT-DAG:     %sum_l0c = aicore.alloc "sum" of "scratch"
// SPLIT:         aicore.load %k
// SPLIT:         aicore.load %v
// SPLIT:         aicore.spill %acc_l0c{{.*}} -> %scores_gm[
// SPLIT:         aicore.spill %acc_l0c{{.*}} -> %scores_gm_{{.*}}[
// SPLIT:         aicore.fetch %scores_gm[
// SPLIT:         aicore.fetch %scores_gm_{{.*}}[
// SPLIT:         aicore.spill %out_ub{{.*}} -> %weights_gm
// SPLIT:         scf.for
// SPLIT:           aicore.fetch %weights_gm{{.*}} -> %weights_l1
// SPLIT:           aicore.mmad {{.*}} -> %sum_l0c
// SPLIT-NOT:       aicore.spill %acc_l0c{{.*}} -> %result_gm
// SPLIT:         aicore.spill %sum_l0c{{.*}} -> %result_gm
// SPLIT:         aicore.fetch %result_gm
// SPLIT:         aicore.store {{.*}} -> %dq

// Each first product has accumulators of its own, out of which the vector unit takes it.
// COUPLED-LABEL: aicore.kernel @dq
// COUPLED:         %acc_l0c = aicore.alloc "acc" of "acc" copies 4
// COUPLED:         aicore.drain %acc_l0c
// COUPLED:         aicore.drain %acc_l0c
// COUPLED:         aicore.mmad {{.*}} -> %sum_l0c
// COUPLED:         aicore.drain %sum_l0c

// A part of the columns has no place in L0B, whatever stays in L0C.
// FULL: error: L0B of ascend910b3 holds 2048 bytes (2 KiB), but this variant needs

// Both scores are products of the tile's rows, and k is an operand of two products.
// HOST: cpu.chain size({{.*}}) a(%q{{.*}}, %g{{.*}}) b(%k{{.*}} along [1, 0], %v{{.*}} along [1, 0] :{{.*}}) depths(%D, %D) v(%k{{.*}} along [0, 1] :{{.*}}) columns(%D)
kernel dq(q: f16[M, D], k: f16[N, D], v: f16[N, D], g: f16[M, D], l: f32[M], delta: f32[M]) -> dq: f32[M, D] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  let dp[i, j] = sum[d](g[i, d] * v[j, d]);
  let ds[i, j] = exp(s[i, j] - l[i]) * (dp[i, j] - delta[i]);
  dq[i, d] = sum[j](cast<f16>(ds[i, j]) * k[j, d]);
  schedule { tile M = 64, N = 64, D = 64; stage D = 64; fuse = products; preload = 1; }
}

// Two second products, each with weights and an epilogue of its own. All weights are computed by one
// operation of a vector core.
// DKV-LABEL: mmk.kernel @dkv
// DKV:         mmk.fusion_group over ["N", "M"] reduce [1]
// DKV-COUNT-2:   linalg.contract
// DKV:           [[OF:%.*]]:2 = mmk.rows
// DKV:           [[X:%.*]] = linalg.contract {{.*}} ins([[OF]]#0,
// DKV:           linalg.generic {{.*}} ins([[X]] :
// DKV:           [[Y:%.*]] = linalg.contract {{.*}} ins([[OF]]#1,
// DKV:           linalg.generic {{.*}} ins([[Y]] :
// DKV-NOT:     mmk.fusion_group
// WEIGHTS-LABEL: aicore.kernel @dkv
// WEIGHTS:         aicore.spill %out_ub{{.*}} -> %weights_gm[
// WEIGHTS-NEXT:    aicore.spill %out1_ub{{.*}} -> %weights_gm_{{.*}}[
kernel dkv(q: f16[M, D], k: f16[N, D], v: f16[N, D], g: f16[M, D], l: f32[M], delta: f32[M])
    -> dk: f16[N, D], dv: f16[N, D] {
  let s[j, i] = sum[d](k[j, d] * q[i, d]);
  let dp[j, i] = sum[d](v[j, d] * g[i, d]);
  let p[j, i] = exp(s[j, i] - l[i]);
  dk[j, d] = sum[i](cast<f16>(p[j, i] * (dp[j, i] - delta[i])) * q[i, d]);
  dv[j, d] = sum[i](cast<f16>(p[j, i]) * g[i, d]);
  schedule { tile M = 64, N = 64, D = 64; stage D = 64; fuse = products; preload = 1; }
}

// Two second products of the same weights, which are rescaled while a maximum grows: the parts are
// collected by the vector cores.
// SHARED-LABEL: mmk.kernel @shared
// SHARED:         mmk.fusion_group over ["M", "N"] reduce [1]
// SHARED:           [[P:%.*]] = mmk.rows
// SHARED:           linalg.contract {{.*}} ins([[P]],
// SHARED:           linalg.contract {{.*}} ins([[P]],
// SHARED-NOT:     mmk.fusion_group
// COLLECT-LABEL: aicore.kernel @shared
// COLLECT-NOT:     %sum_l0c
// COLLECT:         aicore.fetch %weights_gm{{.*}} -> %weights_l1
// COLLECT-NOT:     aicore.fetch %weights_gm
// COLLECT:         aicore.spill %acc_l0c{{.*}} -> %result_gm[
// COLLECT:         aicore.spill %acc_l0c{{.*}} -> %result_gm_{{.*}}[
kernel shared(q: f16[M, D], k: f16[N, D], v: f16[N, D], w: f16[N, D]) -> o: f32[M, D], u: f32[M, D] {
  let p[i, j] = cast<f16>(softmax[j](sum[d](q[i, d] * k[j, d])));
  o[i, d] = sum[j](p[i, j] * v[j, d]);
  u[i, d] = sum[j](p[i, j] * w[j, d]);
  schedule { tile M = 64, N = 64, D = 64; stage D = 64; fuse = products; preload = 1; }
}

// A product of other rows is no first product: it is computed before, and read as a column is.
// OTHER-LABEL: mmk.kernel @other
// OTHER:         [[C:%.*]] = mmk.fusion_group tile
// OTHER:           linalg.contract
// OTHER:         mmk.fusion_group over ["M", "N"] reduce [1]
// OTHER:           tensor.extract_slice [[C]]
kernel other(q: f16[M, D], k: f16[N, D], v: f16[N, D], w: f16[D, 1]) -> o: f32[M, D] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  let c[i, e: 1] = sum[d](q[i, d] * w[d, e]);
  o[i, d] = sum[j](cast<f16>(exp(s[i, j] - c[i, 0])) * v[j, d]);
  schedule { tile M = 64, N = 64, D = 64; stage D = 64; fuse = products; preload = 1; }
}

// A second product that is multiplied again: three products are no chain, but the first two are.
// BEHIND-LABEL: mmk.kernel @behind
// BEHIND:         [[O:%.*]] = mmk.fusion_group over ["M", "N"] reduce [1]
// BEHIND:         mmk.fusion_group
kernel behind(q: f16[M, D], k: f16[N, D], v: f16[N, D]) -> u: f32[M, M] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  let o[i, d] = sum[j](cast<f16>(exp(s[i, j])) * v[j, d]);
  u[i, n] = sum[d](cast<f16>(o[i, d]) * q[n, d]);
  schedule { tile M = 64, N = 64, D = 64; stage D = 64; fuse = products; preload = 1; }
}
