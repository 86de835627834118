// Row groups: which reductions and elementwise values one group computes, its tiles, and its steps on
// an AI core. FileCheck reads this file: see row_groups.test.

// Two reductions and the result are one group. A tile has some rows, and all columns of them; x is
// read through one slice.
// TILED-LABEL: mmk.kernel @rows
// TILED:         mmk.fusion_group over ["M", "N"] reduce [1] tile [16, 1024]
// TILED:           %[[ROWS:.*]] = arith.minsi
// TILED:           %[[X:.*]] = tensor.extract_slice %x[%{{.*}}, 0] [%[[ROWS]], %{{.*}}] [1, 1]
// TILED:           %[[Y:.*]] = mmk.rows %[[X]] along [array<i64: 0, 1>] to [array<i64: 0, 1>] {
// TILED:             %[[E:.*]] = arith.extf
// TILED:             mmk.row_reduce max %[[E]]
// TILED:             %[[EXP:.*]] = math.exp
// TILED:             mmk.row_reduce add %[[EXP]]
// TILED:             arith.divf %[[EXP]],
// TILED:           tensor.insert_slice %[[Y]]
// TILED-NOT:     mmk.fusion_group
// TILED:         mmk.return

// With fuse = none each reduction is a group of its own, and so is the result.
// SEPARATE-LABEL: mmk.kernel @rows
// SEPARATE:      %[[TOP:.*]] = mmk.fusion_group over ["M", "N"] reduce [1]
// SEPARATE:      %[[SUM:.*]] = mmk.fusion_group over ["M", "N"] reduce [1]
// SEPARATE:      mmk.fusion_group tile

// Whole: x is loaded once. Its conversion is kept for the exponential, which takes its place.
// WHOLE-LABEL: aicore.kernel @rows
// WHOLE-SAME:    limits {N = 1024 : i64}
// WHOLE:         aicore.vector_cores 2
// WHOLE:           aicore.load %x
// WHOLE-NOT:       aicore.load
// WHOLE:           aicore.vec cast
// WHOLE:           aicore.reduce max %[[E:.*]][%{{.*}}] size(%{{.*}}, %N) -> %[[TOP:.*]][%{{.*}}] :
// WHOLE:           aicore.vector ins(%[[TOP]][%{{.*}}] full : {{.*}} outs(%[[SAFE:[a-z_0-9]*]][
// WHOLE:             aicore.vec compare oeq
// WHOLE:             aicore.vec select
// WHOLE:           aicore.vector ins(%[[E]][%{{.*}}] full, %[[SAFE]][%{{.*}}] column : {{.*}} outs(%[[E]][
// WHOLE:             aicore.vec sub
// WHOLE:             aicore.vec exp
// WHOLE:           aicore.reduce add %[[E]][%{{.*}}] size(%{{.*}}, %N) -> %[[SUM:.*]][%{{.*}}] :
// WHOLE:           aicore.vector ins(%[[SUM]][%{{.*}}] full : {{.*}} outs(%[[DIVISOR:[a-z_0-9]*]][
// WHOLE:             aicore.vec max
// WHOLE:           aicore.vector ins(%[[E]][%{{.*}}] full, %[[DIVISOR]][%{{.*}}] column :
// WHOLE:             aicore.vec div
// WHOLE:             aicore.vec cast_narrow
// WHOLE:           aicore.store

// Online: one pass for the maximum and the sum. The sum of the parts before is multiplied with the
// exponential of what the maximum has grown by; that is a finite number, from the least one on.
// ONLINE-LABEL: aicore.kernel @rows
// ONLINE:          scf.for
// ONLINE:            aicore.load %x
// ONLINE:            aicore.reduce max
// ONLINE:            aicore.vec max
// ONLINE:            aicore.vec max
// ONLINE-NEXT:       aicore.vec min
// ONLINE-NEXT:       aicore.vec sub
// ONLINE-NEXT:       aicore.vec exp
// ONLINE:            aicore.vec max
// ONLINE-NEXT:       aicore.vec min
// ONLINE-NOT:        aicore.vec select
// ONLINE:            aicore.reduce add
// ONLINE:            aicore.vec mul
// ONLINE-NEXT:       aicore.vec add
// ONLINE:          }
// ONLINE:          aicore.vec exp
// ONLINE-NEXT:     aicore.vec mul
// ONLINE:          scf.for
// ONLINE:            aicore.load %x
// ONLINE:            aicore.vec div
// ONLINE-NOT:      aicore.load

// In passes: the maximum of each part joins that of the parts before, then the same of the sums, and
// x is loaded a third time for the result.
// PASSES-LABEL: aicore.kernel @rows
// PASSES:          aicore.vec copy {{.*}} : f32
// PASSES:          scf.for
// PASSES:            aicore.load %x
// PASSES:            aicore.reduce max
// PASSES:            aicore.vec max
// PASSES:          aicore.vec copy {{.*}} : f32
// PASSES:          scf.for
// PASSES:            aicore.load %x
// PASSES:            aicore.vec exp
// PASSES:            aicore.reduce add
// PASSES:            aicore.vec add
// PASSES:          scf.for
// PASSES:            aicore.load %x
// PASSES:            aicore.vec div
// PASSES:            aicore.store
kernel rows(x: f16[M, N]) -> y: f16[M, N] {
  y = softmax[N](x);
  schedule { tile M = 8, N = 1024; reduce = whole | two_pass; }
}

// The sum of two tensors is a result, and is normalised: one group, in which the sum is stored by the
// first pass. The reciprocal of the root is computed once for each row.
// NORM-LABEL: aicore.kernel @norm
// NORM:         aicore.vec add
// NORM:         aicore.reduce add
// NORM:         aicore.vector {{.*}} size(%{{.*}}, %{{.*}}) {
// NORM:           aicore.vec sqrt
// NORM-NOT:     aicore.phase
// NORM:         aicore.store
// NORM:         aicore.store
kernel norm(x: f16[M, N], r: f16[M, N], w: f16[N]) -> s: f16[M, N], y: f16[M, N] {
  let t = x + r;
  s = t;
  y = rms_norm[N](t, w, 0.00001);
  schedule { tile M = 4, N = 1024; reduce = whole; }
}

// Reduced rows: tiles have all rows of some columns, which the vector cores share.
// COLUMNS-LABEL: aicore.kernel @columns
// COLUMNS:         aicore.vector_cores 2
// COLUMNS:           scf.for
// COLUMNS:             aicore.load %x
// COLUMNS:             aicore.reduce add %{{.*}} by_rows -> %
// COLUMNS:           aicore.store {{.*}} along [-1, 0]
kernel columns(x: f32[M, N]) -> s: f32[N] {
  s = sum[M](x);
  schedule { tile M = 32, N = 64; }
}

// A position is that of its part, and moves with the part.
// POSITION-LABEL: aicore.kernel @position
// POSITION:         aicore.reduce argmax %{{.*}} -> %[[V:.*]][%{{.*}}], %[[P:.*]][%{{.*}}] : {{.*}}xf32{{.*}}xi32
// POSITION:           aicore.vec add {{.*}} i32
// POSITION:           aicore.vec select
kernel position(x: f32[M, N]) -> p: i32[M] {
  p = argmax[N](x);
  schedule { tile M = 8, N = 256; }
}

// Of all elements: a sum with no dimensions.
// TOTAL-LABEL: mmk.kernel @total
// TOTAL:         mmk.fusion_group over ["M*N"] reduce [0]
// TOTAL:           mmk.rows {{.*}} along [array<i64: 0>] to [array<i64: -1>] {
// TOTAL:             mmk.row_reduce add
kernel total(x: f32[M, N]) -> s: f32 {
  s = sum[M, N](x);
}

// With a tile of W, rows and columns of pixels are one for the columns of a tile alone, as each tensor has both at its end or
// neither; channels are a loop around the parts.
// JOINED-LABEL: aicore.kernel @pixels
// JOINED:         %[[PIXELS:.*]] = arith.muli %W, %H
// JOINED:         arith.ceildivsi %[[PIXELS]]
// JOINED:         aicore.load %x[{{.*}}, %c0{{.*}}, %{{.*}}] along [0, 3] joined 2 size
// JOINED:         aicore.load %weight[{{.*}}] along
// JOINED-NOT:     joined
// JOINED:         aicore.store %out_ub[{{.*}}] -> %y[{{.*}}] along [0, 3] joined 2 size
kernel pixels(x: f32[B, C, H, W], weight: f32[C, 1, 1]) -> y: f32[B, C, H, W] {
  y = x * weight / max[C, H, W](x);
}
