// Positions, conditions, windows and random numbers on a core.

// A position is an operand that repeats along rows or columns, in 32 bits.
// TILED-LABEL: mmk.kernel @causal
// TILED-DAG:     %[[I:.*]] = mmk.positions "M" : tensor<?xi32>
// TILED-DAG:     %[[J:.*]] = mmk.positions "N" : tensor<?xi32>
// TILED:         mmk.fusion_group over ["M", "N"] reduce [1]
// TILED-DAG:       tensor.extract_slice %[[I]]
// TILED-DAG:       tensor.extract_slice %[[J]]
// TILED:           arith.cmpi sle, %{{.*}}, %{{.*}} : i32
// TILED-NEXT:      arith.select
// The parts of a row that the condition excludes are skipped; those in which it holds for each
// element have no mask.
// CORE-LABEL:  aicore.kernel @causal
// CORE:          aicore.positions from
// CORE:          arith.cmpi sge
// CORE:          %[[ALL:.*]] = arith.andi
// CORE:          scf.if %[[ALL]] {
// CORE-NOT:        compare
// CORE:            aicore.reduce add
// CORE:          } else {
// CORE:            aicore.vec compare sle
// CORE:            aicore.reduce add
kernel causal(x: f32[M, N]) -> y: f32[M] {
  y[i] = sum[j | j <= i](x[i, j]);
  schedule { reduce = two_pass; }
}

// TILED-LABEL: mmk.kernel @pool
// TILED:         mmk.window %x at #{{.*}} ["N", "P", "2"] : tensor<?x?xf32> -> tensor<?x?x?xf32>
// CORE-LABEL:  aicore.kernel @pool
// CORE:          aicore.window %x at #{{.*}}({{.*}}) size
// A vector of the host has the elements of several results: the columns of the result are last.
// HOST-LABEL:  aicore.kernel @pool
// A tile has several rows of them.
// HOST:          cpu.rows size(%[[N:[0-9]+]], %c2, %[[P:[0-9]+]]) reduce [1] {{.*}} outs(%y[%{{.*}}, %[[FIRST:.*]]] along [0, -1, 1]
// HOST:            %[[AT:.*]] = cpu.position 2 from %[[FIRST]]
// HOST:            cpu.position 1 from %c0
// HOST:            cpu.gather_run {{.*}} step 2 stride
kernel pool(x: f32[N, H]) -> y: f32[N, P] {
  dim P = (H - 2) / 2 + 1;
  y[n, p] = max[r: 2](x[n, 2*p + r]);
}

// TILED-LABEL: mmk.kernel @drop
// TILED:         mmk.random ["M", "N"] of %seed
// CORE-LABEL:  aicore.kernel @drop
// CORE:          aicore.random %seed from
kernel drop(x: f32[M, N], seed: i32) -> y: f32[M, N] {
  y = dropout[M, N](x, 0.5, seed);
}

// Vector cores have no quotient of integers.
// TILED-LABEL: mmk.kernel @remainder
// TILED:         arith.sitofp %[[I:.*]] : i32 to f32
// TILED-NEXT:    arith.divf
// TILED-NEXT:    math.floor
// TILED-NEXT:    arith.fptosi
kernel remainder(x: f32[N]) -> y: f32[N] {
  y[i] = select(i % 3 == 0, x[i], 0);
}

// A position and a length are compared as integers. The scalar unit reads the lengths of the rows of
// a window: the longest ends the loop over the parts of the rows, and parts within the shortest have
// no mask.
// CORE-LABEL:  aicore.kernel @lengths
// CORE:          %[[LEAST:.*]], %[[GREATEST:.*]] = aicore.scalar_range %length[%{{.*}}] along 0 size(%{{.*}}) absent [2147483647, 2147483647]
// CORE-DAG:      %[[UP:.*]] = arith.maxsi %[[GREATEST]], %c0
// CORE-DAG:      %[[END:.*]] = arith.minsi %N, %[[UP]]
// CORE-DAG:      arith.ceildivsi %[[END]], %c64
// CORE-DAG:      arith.addi %[[LEAST]], %c-1
// CORE:          aicore.tally all
// CORE:          aicore.tally skipped
// CORE:          aicore.tally full
// CORE-NOT:      compare
// CORE:          aicore.reduce max
// CORE:          aicore.vec compare slt
// CORE:          aicore.reduce max
// TILED-LABEL: mmk.kernel @lengths
// TILED-NOT:     arith.cmpf
// TILED:         arith.cmpi slt, %{{.*}}, %{{.*}} : i32
kernel lengths(x: f32[M, N], length: i32[M]) -> y: f32[M] {
  y[i] = max[j | j < length[i]](x[i, j]);
  schedule { tile M = 8, N = 64; reduce = two_pass; }
}

// A constant is added to the position, as an element may be the least number. What is the same for
// all rows of a tile is read once, outside of the loop over its windows. Where the elements are not
// known, the condition excludes nothing.
// TILED-LABEL: mmk.kernel @between
// TILED-NOT:     arith.cmpf
// TILED:         %[[NEXT:.*]] = arith.addi %{{.*}}, %c1_i32
// TILED:         arith.cmpi sle, %[[NEXT]], %{{.*}} : i32
// CORE-LABEL:  aicore.kernel @between
// CORE-DAG:      aicore.scalar_range %start[%{{.*}}] along -1 size(%c1) absent [-2147483648, -2147483648]
// CORE-DAG:      aicore.scalar_range %stop[%{{.*}}] along -1 size(%c1) absent [2147483647, 2147483647]
// CORE-DAG:      aicore.scalar_bound %most absent 2147483647
// CORE:          scf.for
kernel between(x: f32[B, M, N], start: i32[B], stop: i32[B], most: i32) -> y: f32[B, M] {
  y[b, i] = sum[j | start[b] <= j && j <= stop[b] - 1 && j < most](x[b, i, j]);
  schedule { tile M = 8, N = 64; reduce = two_pass; }
}

// Lengths that the kernel computes are a mask.
// CORE-LABEL:  aicore.kernel @computed
// CORE-NOT:      aicore.scalar_range
// CORE:          aicore.vec compare slt
kernel computed(x: f32[M, N], length: i32[M]) -> y: f32[M], t: i32[M] {
  let both[i] = max(length[i], 3);
  t[i] = both[i];
  y[i] = sum[j | j < both[i]](x[i, j]);
}

// The sums of a part start from those of the part before it.
// CORE-LABEL:  aicore.kernel @scan
// CORE:          %[[CARRY:.*]] = aicore.alloc "row" of "scratch"
// CORE:          aicore.scan %x_ub[{{.*}}] size({{.*}}) carry %[[CARRY]]
// CORE:          aicore.store %out_ub
kernel scan(x: f32[M, N]) -> y: f32[M, N] {
  y = cumsum[N](x);
}
