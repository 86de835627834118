// Two products with rows between on the host CPU: one operation a tile, without a schedule, too.

// The maximum so far, the ratio by which sums and the product are rescaled when it grows, and the
// factor of the product after the last part.
// ATTEND: %[[SCRATCH:.*]] = aicore.alloc "chain" of "scratch" copies 1
// ATTEND: cpu.chain %q[%[[I:.*]], %{{.*}}] along [0, 1], %k[%{{.*}}, %{{.*}}] along [1, 0], %v[%{{.*}}, %{{.*}}] along [0, 1] size(%{{.*}}, %N, %D, %E) ins() outs() behind() results(%o[%[[I]], %{{.*}}] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%[[SCRATCH]]) {
// ATTEND-NEXT: ^bb0(%[[S:.*]]: f32):
// ATTEND-NEXT: %[[X:.*]] = arith.mulf {{.*}} : f32
// ATTEND-NEXT: %[[TOP:.*]] = cpu.reduce max %[[X]] from 0xFF800000 : f32 -> f32
// ATTEND-NEXT: %[[SOME:.*]] = arith.maximumf %[[TOP]], %[[LEAST:.*]] : f32
// ATTEND-NEXT: %[[NEXT:.*]] = arith.minimumf %[[SOME]], %{{.*}} : f32
// ATTEND-NEXT: %[[D:.*]] = arith.subf %[[X]], %[[NEXT]]
// ATTEND-NEXT: %[[W:.*]] = math.exp %[[D]]
// ATTEND-NEXT: %[[BEFORE:.*]] = cpu.before %[[NEXT]] from %[[LEAST]] : f32
// ATTEND-NEXT: %[[LESS:.*]] = arith.subf %[[BEFORE]], %[[NEXT]]
// ATTEND-NEXT: %[[RATIO:.*]] = math.exp %[[LESS]]
// ATTEND-NEXT: %[[SUM:.*]] = cpu.reduce add %[[W]] from 0.000000e+00 : f32 times %[[RATIO]] -> f32
// ATTEND-NEXT: %[[END:.*]] = arith.subf %[[NEXT]], %[[TOP]]
// ATTEND-NEXT: %[[LAST:.*]] = math.exp %[[END]]
// ATTEND-NEXT: %[[ALL:.*]] = arith.mulf %[[SUM]], %[[LAST]]
// ATTEND-NEXT: %[[Q:.*]] = arith.divf %{{.*}}, %[[ALL]]
// ATTEND-NEXT: %[[F:.*]] = arith.mulf %[[Q]], %[[LAST]]
// ATTEND-NEXT: cpu.yield %[[W]], %[[RATIO]], %[[F]] : f32, f32, f32
// ATTEND-NEXT: }, {
// ATTEND-NEXT: ^bb0(%[[P:.*]]: f32):
// ATTEND-NEXT: cpu.yield %[[P]] : f32
kernel attend(q: f32[M, D], k: f32[N, D], v: f32[N, E], scale: f32 = 0.125) -> o: f32[M, E] {
  o[i, e] = sum[j](softmax[j](sum[d](q[i, d] * k[j, d]) * scale) * v[j, e]);
}

// Heads that share keys are read in place. A condition is of the rows and of the weights: of a row
// that it leaves no column the factor is 0. A result of the rows, and one of the product behind an
// epilogue.
// FORMS: cpu.chain %q[%[[H:.*]], %[[I:.*]], %{{.*}}] along [1, 2], %k[%[[G:.*]], %{{.*}}, %{{.*}}] along [2, 1], %v[%[[G]], %{{.*}}, %{{.*}}] along [1, 2] size(%{{.*}}, %N, %D, %E) ins(%bias[%[[I]], %{{.*}}] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%l[%[[H]], %[[I]]] along [1, -1] : memref<?x?xf32, #aicore.space<gm>>) behind(%g[%[[H]], %[[I]], %{{.*}}] along [1, 2] : memref<?x?x?xf16, #aicore.space<gm>>) results(%o[%[[H]], %[[I]], %{{.*}}] along [1, 2] : memref<?x?x?xf16, #aicore.space<gm>>)
// FORMS-NEXT: ^bb0(%[[S:.*]]: f32, %[[B:.*]]: f32):
// FORMS: %[[COLUMN:.*]] = cpu.position 1 from
// FORMS: %[[ROW:.*]] = cpu.position 0 from %[[I]]
// FORMS: %[[HOLDS:.*]] = arith.cmpi sle
// FORMS: cpu.reduce max %{{.*}} from 0xFF800000 : f32 -> f32
// FORMS: %[[WEIGHT:.*]] = arith.select %[[HOLDS]], %{{.*}}, %{{.*}} : f16
// FORMS: %[[ANY:.*]] = cpu.reduce max %[[HOLDS]] from false -> i1
// FORMS: %[[FACTOR:.*]] = arith.select %[[ANY]], %{{.*}}, %{{.*}} : f32
// FORMS: cpu.yield %[[WEIGHT]], %{{.*}}, %[[FACTOR]], %{{.*}} : f16, f32, f32, f32
// FORMS-NEXT: }, {
// FORMS-NEXT: ^bb0(%[[P:.*]]: f32, %[[GATE:.*]]: f16):
// FORMS: cpu.yield %{{.*}} : f16
kernel forms(q: f16[H, M, D], k: f16[G, N, D], v: f16[G, N, E], bias: f32[M, N], g: f16[H, M, E], group: int = 2)
    -> o: f16[H, M, E], l: f32[H, M] {
  require H == G * group;
  let s[h, i, j] = sum[d](q[h, i, d] * k[h / group, j, d]) + bias[i, j];
  let p[h, i, j] = softmax[j | j <= i + N - M](s[h, i, j]);
  o[h, i, e] = g[h, i, e] * sum[j | j <= i + N - M](cast<f16>(p[h, i, j]) * v[h / group, j, e]);
  l[h, i] = logsumexp[j | j <= i + N - M](s[h, i, j]);
}

// What no single pass computes is computed by two.
// TWICE-NOT: cpu.chain
// TWICE: cpu.rows
kernel twice(q: f32[M, D], k: f32[N, D], v: f32[N, E]) -> o: f32[M, E] {
  let s[i, j] = sum[d](q[i, d] * k[j, d]);
  o[i, e] = sum[j](exp(s[i, j] - mean[j](s[i, j])) * v[j, e]);
}

// REFUSED: error: fuse = products computes products of floats on host, found one of 'i8'; nearest legal: fuse = all
kernel integers(q: i8[M, D], k: i8[N, D], v: f32[N, E]) -> o: f32[M, E] {
  o[i, e] = sum[j](softmax[j](0.01 * sum[d](q[i, d] * k[j, d])) * v[j, e]);
}
