// Two products with the columns between them divided: the parts in one group, their combination in two.
kernel decode(q: f16[B, M, D], k: f16[B, N, D], v: f16[B, N, E], scale: f32 = 0.125)
    -> o: f16[B, M, E], top: f32[B, M] {
  let s[b, i, j] = scale * sum[d](q[b, i, d] * k[b, j, d]);
  o[b, i, e] = sum[j | j <= i + N - M](cast<f16>(softmax[j | j <= i + N - M](s[b, i, j])) * v[b, j, e]);
  top[b, i] = max[j | j <= i + N - M](s[b, i, j]);
  schedule { grid N = 6; tile M = 16, N = 64, D = 64, E = 64; stage D = 64; fuse = products; preload = 2; }
}

// A part is a sixth of N in whole tiles of 64. It has a maximum, a sum and a result of its own; its weights
// are not divided.
// PARTS-LABEL: mmk.kernel @decode
// PARTS:         [[PARTS:%.*]]:3 = mmk.fusion_group over ["B", "M", "N"] reduce [2] {
// PARTS:           scf.forall ([[P:%.*]]) in (6)
// PARTS:             [[LENGTH:%.*]] = arith.muli {{.*}}, %c64
// PARTS:             [[AT:%.*]] = arith.muli [[P]], [[LENGTH]]
// PARTS:             [[FIRST:%.*]] = arith.minsi [[AT]]
// PARTS:             [[REST:%.*]] = arith.subi {{.*}}, [[FIRST]]
// PARTS:             [[OWN:%.*]] = arith.minsi [[REST]], [[LENGTH]]
// PARTS:             [[K:%.*]] = tensor.extract_slice %k[0, [[FIRST]], 0]
// PARTS:             [[S:%.*]] = linalg.contract {{.*}} ins(%q, [[K]] :
// PARTS:             tensor.extract_slice {{.*}}{{\[}}[[FIRST]]] {{\[}}[[OWN]]]
// PARTS:             [[OF:%.*]]:3 = mmk.rows [[S]], {{.*}} parts [1, 1, 6] {
// PARTS:               [[TOP:%.*]] = mmk.row_reduce max
// PARTS:               [[SUM:%.*]] = mmk.row_reduce add
// PARTS-NOT:           arith.divf
// PARTS:               [[WEIGHTS:%.*]] = arith.truncf
// PARTS:               mmk.row_elements [[TOP]], [[SUM]], [[WEIGHTS]]
// PARTS:             [[V:%.*]] = tensor.extract_slice %v[0, [[FIRST]], 0]
// PARTS:             [[RESULT:%.*]] = linalg.contract {{.*}} ins([[OF]]#2, [[V]] :
// PARTS:             tensor.parallel_insert_slice [[OF]]#0
// PARTS:             tensor.parallel_insert_slice [[OF]]#1
// PARTS:             tensor.parallel_insert_slice [[RESULT]] into {{.*}}{{\[}}[[P]], 0, 0, 0]

// Of whole rows there are the maximum, which is a result, and by what the second product is divided.
// PARTS:         [[ROWS:%.*]]:3 = mmk.fusion_group over ["6", "B", "M"] reduce [0] {
// PARTS:           mmk.rows [[PARTS]]#0, [[PARTS]]#1 along {{.*}} combines {
// PARTS:             [[ALL:%.*]] = mmk.row_reduce max
// PARTS:             math.exp
// PARTS:             [[TOTAL:%.*]] = mmk.row_reduce add
// PARTS:             arith.mulf [[TOTAL]],
// PARTS:             arith.divf
// PARTS:             [[FACTOR:%.*]] = arith.mulf
// PARTS:             mmk.row_elements [[ALL]], [[ALL]], [[FACTOR]]

// The results of the parts go to the maximum of the row. Of a row without elements the factor is 1.
// PARTS:         mmk.fusion_group over ["6", "B", "M", "E"] reduce [0] {
// PARTS:           mmk.rows [[PARTS]]#2, [[PARTS]]#0, [[ROWS]]#1, [[ROWS]]#2 along {{.*}} combines {
// PARTS:             math.exp
// PARTS:             [[O:%.*]] = mmk.row_reduce add
// PARTS:             arith.mulf [[O]],
// PARTS:             arith.truncf

// The tiles of all parts are distributed to the cores: a batch, a part of N, rows.
// TILED-LABEL: mmk.kernel @decode
// TILED:         mmk.fusion_group over ["B", "M", "N"] reduce [2] tile [16, 64]
// TILED-NOT:       scf.forall
// TILED:           scf.for
// TILED:             [[PART:%.*]] = arith.remsi {{.*}}, %c6
// TILED:             [[AT:%.*]] = arith.muli [[PART]]
// TILED:             [[FIRST:%.*]] = arith.minsi [[AT]]
// TILED:             [[K:%.*]] = tensor.extract_slice %k[0, [[FIRST]], 0]
// TILED:             tensor.extract_slice [[K]]
// TILED:             linalg.contract
// TILED:             linalg.contract
// TILED:             tensor.insert_slice {{.*}}{{\[}}[[PART]], {{.*}} [1, 1, {{%.*}}, {{%.*}}] [1, 1, 1, 1]
