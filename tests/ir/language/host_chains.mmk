// Products with rows between on the host CPU: one operation a tile, without a schedule, too.

// The maximum so far, the ratio by which sums and the product are rescaled when it grows, and the
// factor of the product after the last part.
// ATTEND: %[[SCRATCH:.*]] = aicore.alloc "chain" of "scratch" copies 1
// ATTEND: cpu.chain size(%{{.*}} of %{{.*}}, %N) a(%q[%[[I:.*]], %{{.*}}] along [0, 1] : {{.*}}) b(%k[%{{.*}}, %{{.*}}] along [1, 0] : {{.*}}) depths(%D) v(%v[%{{.*}}, %{{.*}}] along [0, 1] : {{.*}}) columns(%E) ins() outs() behind() results(%o[%[[I]], %{{.*}}] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%[[SCRATCH]]) {
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
// ATTEND-NEXT: %[[LOW:.*]] = arith.cmpf oeq, %[[NEXT]], %{{.*}} : f32
// ATTEND-NEXT: %[[RUNNING:.*]] = arith.select %[[LOW]], %{{.*}}, %[[NEXT]] : f32
// ATTEND-NEXT: %[[NONE:.*]] = arith.cmpf oeq, %[[TOP]], %{{.*}} : f32
// ATTEND-NEXT: %[[SAFE:.*]] = arith.select %[[NONE]], %{{.*}}, %[[TOP]] : f32
// ATTEND-NEXT: %[[END:.*]] = arith.subf %[[RUNNING]], %[[SAFE]]
// ATTEND-NEXT: %[[LAST:.*]] = math.exp %[[END]]
// ATTEND-NEXT: %[[ALL:.*]] = arith.mulf %[[SUM]], %[[LAST]]
// ATTEND-NEXT: %[[DIVISOR:.*]] = arith.maximumf %[[ALL]], %{{.*}} : f32
// ATTEND-NEXT: %[[Q:.*]] = arith.divf %{{.*}}, %[[DIVISOR]]
// ATTEND-NEXT: %[[F:.*]] = arith.mulf %[[Q]], %[[LAST]]
// ATTEND-NEXT: cpu.yield %[[W]], %[[RATIO]], %[[F]] : f32, f32, f32
// ATTEND-NEXT: }, {
// ATTEND-NEXT: ^bb0(%[[P:.*]]: f32):
// ATTEND-NEXT: cpu.yield %[[P]] : f32
kernel attend(q: f32[M, D], k: f32[N, D], v: f32[N, E], scale: f32 = 0.125) -> o: f32[M, E] {
  o[i, e] = sum[j](softmax[j](sum[d](q[i, d] * k[j, d]) * scale) * v[j, e]);
}

// Heads that share keys are read in place. A condition is of the rows and of the weights. A result of the rows, and one of the product behind an
// epilogue.
// FORMS: cpu.chain size(%{{.*}} of %{{.*}}, %N) a(%q[%[[H:.*]], %[[I:.*]], %{{.*}}] along [1, 2] : {{.*}}) b(%k[%[[G:.*]], %{{.*}}, %{{.*}}] along [2, 1] : {{.*}}) depths(%D) v(%v[%[[G]], %{{.*}}, %{{.*}}] along [1, 2] : {{.*}}) columns(%E) ins(%bias[%[[I]], %{{.*}}] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%l[%[[H]], %[[I]]] along [1, -1] : memref<?x?xf32, #aicore.space<gm>>) behind(%g[%[[H]], %[[I]], %{{.*}}] along [1, 2] : memref<?x?x?xf16, #aicore.space<gm>>) results(%o[%[[H]], %[[I]], %{{.*}}] along [1, 2] : memref<?x?x?xf16, #aicore.space<gm>>)
// FORMS-NEXT: ^bb0(%[[S:.*]]: f32, %[[B:.*]]: f32):
// FORMS: %[[COLUMN:.*]] = cpu.position 1 from
// FORMS: %[[ROW:.*]] = cpu.position 0 from %[[I]]
// FORMS: %[[HOLDS:.*]] = arith.cmpi sle
// FORMS: cpu.reduce max %{{.*}} from 0xFF800000 : f32 -> f32
// FORMS: %[[WEIGHT:.*]] = arith.select %[[HOLDS]], %{{.*}}, %{{.*}} : f16
// FORMS-NOT: cpu.reduce max
// FORMS: cpu.yield %[[WEIGHT]], %{{.*}}, %{{.*}}, %{{.*}} : f16, f32, f32, f32
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

// Products of scores and of weights in lists. Each product of weights has its own results; weights
// that the others are computed from are computed once.
// DKV: cpu.chain size(%{{.*}} of %{{.*}}, %M) a(%k[%[[J:.*]], %{{.*}}] along [0, 1], %v[%[[J]], %{{.*}}] along [0, 1] : {{.*}}) b(%q[%{{.*}}, %{{.*}}] along [1, 0], %g[%{{.*}}, %{{.*}}] along [1, 0] : {{.*}}) depths(%D, %D) v(%q[%{{.*}}, %{{.*}}] along [0, 1], %g[%{{.*}}, %{{.*}}] along [0, 1] : {{.*}}) columns(%D, %D) ins(%l[%{{.*}}] along [-1, 0], %delta[%{{.*}}] along [-1, 0] : {{.*}}) outs() behind(%gate[%[[J]], %{{.*}}] along [0, 1] : {{.*}}) results(%dk[%[[J]], %{{.*}}] along [0, 1], %dv[%[[J]], %{{.*}}] along [0, 1] : {{.*}}) scratch
// DKV-NEXT: ^bb0(%[[S:.*]]: f32, %[[DP:.*]]: f32, %[[L:.*]]: f32, %[[DELTA:.*]]: f32):
// DKV: %[[LESS:.*]] = arith.subf %[[S]], %[[L]]
// DKV-NEXT: %[[P:.*]] = math.exp %[[LESS]]
// DKV-NEXT: %[[ABOVE:.*]] = arith.subf %[[DP]], %[[DELTA]]
// DKV-NEXT: %[[DS:.*]] = arith.mulf %[[P]], %[[ABOVE]]
// DKV: %[[EXCLUDED:.*]] = arith.select %[[HOLDS:.*]], %[[DS]], %{{.*}} : f32
// DKV: %[[OTHER:.*]] = arith.select %[[HOLDS]], %[[P]], %{{.*}} : f32
// DKV: cpu.yield %[[EXCLUDED]], %[[ONE:.*]], %[[ONE]], %[[OTHER]], %[[ONE]], %[[ONE]] : f32, f32, f32, f32, f32, f32
// DKV-NEXT: }, {
// DKV-NEXT: ^bb0(%[[X:.*]]: f32):
// DKV-NEXT: cpu.yield %[[X]] : f32
// DKV-NEXT: }, {
// DKV-NEXT: ^bb0(%[[Y:.*]]: f32, %[[G:.*]]: f32):
// DKV-NEXT: %[[Z:.*]] = arith.mulf %[[G]], %[[Y]]
// DKV-NEXT: cpu.yield %[[Z]] : f32
// DKV-NOT: cpu.chain
kernel dkv(q: f32[M, D], k: f32[N, D], v: f32[N, D], g: f32[M, D], l: f32[M], delta: f32[M], gate: f32[N, D])
    -> dk: f32[N, D], dv: f32[N, D] {
  let s[j, i] = sum[d](k[j, d] * q[i, d]);
  let dp[j, i] = sum[d](v[j, d] * g[i, d]);
  let p[j, i] = exp(s[j, i] - l[i]);
  dk[j, d] = sum[i | j <= i](p[j, i] * (dp[j, i] - delta[i]) * q[i, d]);
  dv[j, d] = gate[j, d] * sum[i | j <= i](p[j, i] * g[i, d]);
}

// A product of weights of which others are computed, without a condition that makes them others.
// PLAIN: cpu.chain
// PLAIN: %[[W:.*]] = math.exp
// PLAIN: %[[OF:.*]] = arith.mulf %[[W]],
// PLAIN: cpu.yield %[[OF]], %{{.*}}, %{{.*}}, %[[W]], %{{.*}}, %{{.*}} : f32, f32, f32, f32, f32, f32
// PLAIN-NOT: cpu.chain
kernel plain(q: f32[M, D], k: f32[N, D], v: f32[N, D], g: f32[M, D]) -> dk: f32[N, D], dv: f32[N, D] {
  let p[j, i] = exp(sum[d](k[j, d] * q[i, d]));
  let dp[j, i] = sum[d](v[j, d] * g[i, d]);
  dk[j, d] = sum[i](p[j, i] * dp[j, i] * q[i, d]);
  dv[j, d] = sum[i](p[j, i] * g[i, d]);
}

// MANY: error: fuse = products computes at most 8 products in one loop on host, found 9; nearest legal: fuse = all
// MANY-OPEN-NOT: cpu.chain
kernel many(q: f32[M, D], a: f32[N, D], b: f32[N, D], c: f32[N, D], d0: f32[N, D], e: f32[N, D], f: f32[N, D],
            g: f32[N, D], h: f32[N, D]) -> o: f32[M, D] {
  let s[i, j] = sum[d](q[i, d] * a[j, d]) * sum[d](q[i, d] * b[j, d]) * sum[d](q[i, d] * c[j, d])
      * sum[d](q[i, d] * d0[j, d]) * sum[d](q[i, d] * e[j, d]) * sum[d](q[i, d] * f[j, d])
      * sum[d](q[i, d] * g[j, d]) * sum[d](q[i, d] * h[j, d]);
  o[i, d] = sum[j](s[i, j] * a[j, d]);
}
