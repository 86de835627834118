// Sums of products behind a condition, and of matrices that lie in other batches.

// The condition has the rows: the left operand has 0 where it does not hold.
// TILED-LABEL: mmk.kernel @causal
// TILED:         %[[LEFT:.*]] = mmk.fusion_group
// TILED:           arith.cmpi sle
// TILED:           arith.select %{{.*}}, %{{.*}}, %{{.*}} : f16
// TILED:         mmk.fusion_group
// TILED:           tensor.extract_slice %[[LEFT]]
// TILED:           tensor.extract_slice %v
// TILED:           linalg.contract
kernel causal(p: f16[M, N], v: f16[N, D]) -> o: f32[M, D] {
  o[i, d] = sum[j | j <= i](p[i, j] * v[j, d]);
}

// It has the columns: the right one has.
// TILED-LABEL: mmk.kernel @of_columns
// TILED:         %[[RIGHT:.*]] = mmk.fusion_group
// TILED:           arith.select %{{.*}}, %{{.*}}, %{{.*}} : f16
// TILED:         mmk.fusion_group
// TILED:           tensor.extract_slice %p
// TILED:           tensor.extract_slice %[[RIGHT]]
// TILED:           linalg.contract
kernel of_columns(p: f16[M, N], v: f16[N, D]) -> o: f32[M, D] {
  o[i, d] = sum[j | j <= d](p[i, j] * v[j, d]);
}

// It has neither: what it excludes is read of no operand.
// TILED-LABEL: mmk.kernel @lengths
// TILED:         %[[LEFT:.*]] = mmk.fusion_group
// TILED:           arith.select
// TILED:         %[[RIGHT:.*]] = mmk.fusion_group
// TILED:           arith.select
// TILED:         mmk.fusion_group
// TILED:           tensor.extract_slice %[[LEFT]]
// TILED:           tensor.extract_slice %[[RIGHT]]
// TILED:           linalg.contract
kernel lengths(p: f16[B, M, N], v: f16[B, N, D], length: i32[B]) -> o: f32[B, M, D] {
  o[b, i, d] = sum[j | j < length[b]](p[b, i, j] * v[b, j, d]);
}

// It has both: no product of two matrices.
// TILED-LABEL: mmk.kernel @of_both
// TILED-NOT:     linalg.contract
// TILED:         mmk.row_reduce add
kernel of_both(p: f16[M, N], v: f16[N, D]) -> o: f32[M, D] {
  o[i, d] = sum[j | j <= i + d](p[i, j] * v[j, d]);
}

// The condition goes along an operand that is read transposed.
// TILED-LABEL: mmk.kernel @transposed
// TILED:         %[[LEFT:.*]] = mmk.fusion_group
// TILED:           linalg.generic {indexing_maps = [#[[J:.*]], #[[I:.*]], #[[P:.*]], #[[P]]]
// TILED:           arith.select
// TILED:         linalg.contract
kernel transposed(p: f16[N, M], v: f16[N, D]) -> o: f32[M, D] {
  o[i, d] = sum[j | j <= i](p[j, i] * v[j, d]);
}

// A matrix of another batch is read where it is. Nothing says that groups are whole.
// TILED-LABEL: mmk.kernel @grouped
// TILED:         mmk.fusion_group
// TILED:           %[[K:.*]] = mmk.window %k at #{{.*}} ["H", "N", "D"]
// TILED:           tensor.extract_slice %[[K]]
// TILED:           linalg.contract
// CORE-LABEL:  aicore.kernel @grouped
// CORE:          aicore.load %q
// CORE:          arith.divsi
// CORE:          %[[GROUP:.*]] = arith.select
// CORE:          aicore.load %k[%[[GROUP]], %{{.*}}, %{{.*}}]
// HOST-LABEL:  aicore.kernel @grouped
// HOST:          cpu.product %q[{{.*}}, %k[%{{.*}}, %{{.*}}, %{{.*}}] along [2, 1]
kernel grouped(q: f16[H, M, D], k: f16[G, N, D]) -> s: f32[H, M, N] {
  s[h, i, j] = sum[d](q[h, i, d] * k[h / 4, j, d]);
}

// Its rows may be those of another dimension of the tensor.
// TILED-LABEL: mmk.kernel @strided
// TILED-NOT:     linalg.generic
// TILED:         %[[K:.*]] = mmk.window %k at #{{.*}} ["H", "N", "D"]
// TILED:         tensor.extract_slice %[[K]]
// TILED:         linalg.contract
// HOST-LABEL:  aicore.kernel @strided
// HOST:          cpu.product %q[{{.*}}, %k[%{{.*}}, %{{.*}}, %{{.*}}] along [2, 0]
kernel strided(q: f16[H, M, D], k: f16[N, G, D]) -> s: f32[H, M, N] {
  require H == 4 * G;
  s[h, i, j] = sum[d](q[h, i, d] * k[j, h / 4, d]);
}

// One of other rows is not.
// TILED-LABEL: mmk.kernel @other_rows
// TILED:         %[[K:.*]] = mmk.fusion_group
// TILED:           mmk.window %k
// TILED:         mmk.fusion_group
// TILED:           tensor.extract_slice %[[K]]
// TILED:           linalg.contract
kernel other_rows(q: f16[H, M, D], k: f16[H, N, D]) -> s: f32[H, M, P] {
  dim P = N / 2;
  s[h, i, j] = sum[d](q[h, i, d] * k[h, 2*j, d]);
}
