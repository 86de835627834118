// What the second of two products multiplies weights with, behind a condition (passes/chains/values.cpp).

// The lengths leave a range of the columns, to which the loop is bound: v is read where it is.
// TILED-LABEL: mmk.kernel @lengths
// TILED:         mmk.fusion_group over ["B", "M", "N"] reduce [2]
// TILED:           %[[V:.*]] = tensor.extract_slice %v[
// TILED:           linalg.contract {{.*}} {mmk.excluded} ins(%{{.*}}, %[[V]] :
// TILED-NOT:     mmk.fusion_group
// CORE-LABEL:  aicore.kernel @lengths
// CORE:          %[[LEAST:.*]], %[[GREATEST:.*]] = aicore.scalar_range %length
// CORE:          aicore.load %v
kernel lengths(q: f16[B, M, D], k: f16[B, N, D], v: f16[B, N, E], length: i32[B]) -> o: f16[B, M, E] {
  let s[b, i, j] = sum[d](q[b, i, d] * k[b, j, d]);
  o[b, i, e] = sum[j | j < length[b]](cast<f16>(softmax[j | j < length[b]](s[b, i, j])) * v[b, j, e]);
}

// Heads share their keys and values: those of a group are rows of one product.
// TILED-LABEL: mmk.kernel @grouped
// TILED:         mmk.fusion_group over ["B", "G", "M*4", "N"] reduce [3]
// TILED:           %[[V:.*]] = tensor.extract_slice %v[
// TILED:           linalg.contract {{.*}} {mmk.excluded} ins(%{{.*}}, %[[V]] :
// TILED-NOT:     mmk.fusion_group
kernel grouped(q: f16[B, H, M, D], k: f16[B, G, N, D], v: f16[B, G, N, E], first: i32[B], length: i32[B])
    -> o: f16[B, H, M, E] {
  require H == 4 * G;
  let s[b, h, i, j] = sum[d](q[b, h, i, d] * k[b, h / 4, j, d]);
  let p[b, h, i, j] = softmax[j | first[b] <= j && j + 2 < length[b]](s[b, h, i, j]);
  o[b, h, i, e] = sum[j | first[b] <= j && j + 2 < length[b]](cast<f16>(p[b, h, i, j]) * v[b, h / 4, j, e]);
}

// A mask leaves no range: a masked copy of v is written.
// TILED-LABEL: mmk.kernel @mask
// TILED:         %[[V:.*]] = mmk.fusion_group
// TILED:           arith.select
// TILED:         mmk.fusion_group over
// TILED:           tensor.extract_slice %[[V]]
kernel mask(q: f16[B, M, D], k: f16[B, N, D], v: f16[B, N, E], mask: i8[B, N]) -> o: f16[B, M, E] {
  let s[b, i, j] = sum[d](q[b, i, d] * k[b, j, d]);
  o[b, i, e] = sum[j | mask[b, j] != 0](cast<f16>(softmax[j | mask[b, j] != 0](s[b, i, j])) * v[b, j, e]);
}

// The softmax goes over all columns, and so does the loop.
// TILED-LABEL: mmk.kernel @all_columns
// TILED:         %[[V:.*]] = mmk.fusion_group
// TILED:           arith.select
// TILED:         mmk.fusion_group over
// TILED:           tensor.extract_slice %[[V]]
kernel all_columns(q: f16[B, M, D], k: f16[B, N, D], v: f16[B, N, E], length: i32[B]) -> o: f16[B, M, E] {
  let s[b, i, j] = sum[d](q[b, i, d] * k[b, j, d]);
  o[b, i, e] = sum[j | j < length[b]](cast<f16>(softmax[j](s[b, i, j])) * v[b, j, e]);
}
