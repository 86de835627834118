// Products from L0C to UB and weights from UB to L1, where the machine has these paths, or through global memory.
// The flags between the cores are of the pipes that move them.
kernel attention(q: bf16[M, D], k: bf16[N, D], v: bf16[N, D]) -> o: bf16[M, D] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  o[i, d] = cast<bf16>(sum[j](cast<bf16>(softmax[j](s[i, j])) * v[j, d]));
  schedule { fuse = products; }
}
// DIRECT-NOT: aicore.fetch
// DIRECT:     aicore.drain %acc_l0c[%{{.*}}] at(%{{.*}}) size({{.*}}) -> %value_ub[%{{.*}}] : memref<128x64xf32, #aicore.space<l0c>> -> memref<64x64xf32, #aicore.space<ub>>
// DIRECT:     aicore.set_cross fixpipe to vector 0
// DIRECT:     aicore.wait_cross
// DIRECT:     aicore.spill %out_ub[%{{.*}}] size({{.*}}) -> %weights_l1[%{{.*}}] at(%{{.*}}) : memref<64x64xbf16, #aicore.space<ub>> -> memref<128x64xbf16, #aicore.space<l1>>
// DIRECT:     aicore.set_cross mte3 to cube
// DIRECT-NOT: aicore.fetch

// PRODUCTS:   aicore.drain %acc_l0c
// PRODUCTS:   aicore.spill %out_ub[%{{.*}}] size({{.*}}) -> %weights_gm[
// PRODUCTS:   aicore.fetch %weights_gm[

// GLOBAL-NOT: aicore.drain
// GLOBAL:     aicore.spill %acc_l0c[%{{.*}}] size({{.*}}) -> %scores_gm[
// GLOBAL:     aicore.fetch %scores_gm[%{{.*}}
// GLOBAL:     aicore.spill %out_ub[%{{.*}}] size({{.*}}) -> %weights_gm[
// GLOBAL-NOT: aicore.drain
