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
// CORE:          %[[ALL:.*]] = arith.cmpi sge
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
// HOST:          cpu.rows size(%c1, %c2, %[[P:.*]]) reduce [1] {{.*}} outs(%y[%{{.*}}, %[[FIRST:.*]]] along [0, -1, 1]
// HOST:            %[[AT:.*]] = cpu.position 2 from %[[FIRST]]
// HOST:            cpu.position 1 from %c0
// HOST:            cpu.gather
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

// A position and a length are compared as integers.
// TILED-LABEL: mmk.kernel @lengths
// TILED-NOT:     arith.cmpf
// TILED:         arith.cmpi slt, %{{.*}}, %{{.*}} : i32
kernel lengths(x: f32[M, N], length: i32[M]) -> y: f32[M] {
  y[i] = max[j | j < length[i]](x[i, j]);
}

// The sums of a part start from those of the part before it.
// CORE-LABEL:  aicore.kernel @scan
// CORE:          %[[CARRY:.*]] = aicore.alloc "row" of "scratch"
// CORE:          aicore.scan %x_ub[{{.*}}] size({{.*}}) carry %[[CARRY]]
// CORE:          aicore.store %out_ub
kernel scan(x: f32[M, N]) -> y: f32[M, N] {
  y = cumsum[N](x);
}
