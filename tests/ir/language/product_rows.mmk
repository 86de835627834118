// Reductions of a product's rows, in the fusion group of the product: a tile is as wide as the
// product, and the vector cores take whole rows of it.
kernel norm(x: f16[M, K], w: f16[K, N], r: f16[M, N]) -> h: f16[M, N], y: f16[M, N] {
  let t = x @ w + r;
  h = cast<f16>(t);
  y = cast<f16>(t / sqrt(mean[N](t * t) + 0.001));
  schedule { fuse = rows; tile M = 32; tile N = 128; }
}

// TILED-LABEL: mmk.kernel @norm
// TILED:         mmk.fusion_group over ["M", "N"] reduce [1] tile [32, 128] steps [256, 64]
// TILED:           scf.for {{.*}} -> (tensor<?x?xf16>, tensor<?x?xf16>)
// TILED:             [[ACC:%.*]] = scf.for {{.*}} -> (tensor<?x?xf32>)
// TILED:               linalg.contract
// TILED:             [[R:%.*]] = tensor.extract_slice %r
// TILED:             [[BOTH:%.*]]:2 = mmk.rows [[ACC]], [[R]] along
// TILED:               [[H:%.*]] = arith.truncf
// TILED:               mmk.row_reduce add
// TILED:               [[Y:%.*]] = arith.truncf
// TILED:               mmk.row_elements [[H]], [[Y]]
// TILED:             tensor.insert_slice [[BOTH]]#0
// TILED:             tensor.insert_slice [[BOTH]]#1

// A vector core takes its rows of the tile out of the block's global memory.
// SPLIT-LABEL: aicore.kernel @norm
// SPLIT-SAME:    limits {N = 128 : i64}
// SPLIT:         aicore.mmad
// SPLIT:         aicore.spill %acc_l0c{{.*}} -> %acc_gm{{.*}} : memref<32x128xf32, #aicore.space<l0c>>
// SPLIT:         aicore.vector_cores 2
// SPLIT:           aicore.fetch %acc_gm{{.*}} -> %acc_ub{{.*}} -> memref<16x128xf32, #aicore.space<ub>>
// SPLIT:           aicore.reduce add %tile_ub
// SPLIT:           aicore.vector ins(%acc_ub{{.*}} full, %r_ub{{.*}} full, %row_ub{{.*}} column
// SPLIT:           aicore.store %out_ub{{.*}} -> %h
// SPLIT:           aicore.store %out1_ub{{.*}} -> %y

// COUPLED-LABEL: aicore.kernel @norm
// COUPLED-NOT:     aicore.spill
// COUPLED:         aicore.mmad
// COUPLED:         aicore.drain %acc_l0c{{.*}} -> %acc_ub
// COUPLED:         aicore.reduce add %tile_ub
// COUPLED:         aicore.store %out_ub{{.*}} -> %h
// COUPLED:         aicore.store %out1_ub{{.*}} -> %y
