// Integers in i32.

// The operations that vector cores have on integers; what is chosen is a number in place of a widened
// condition.
// TILED-LABEL: mmk.kernel @arithmetic
// TILED-NOT:     sitofp
// TILED:         arith.muli %{{.*}}, %{{.*}} : i32
// TILED:         arith.maxsi
// TILED:         arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// TILED-NOT:     sitofp
// CORE-LABEL:  aicore.kernel @arithmetic
// CORE-DAG:      aicore.vec mul {{.*}} : !aicore.tile<i32>
// CORE-DAG:      aicore.vec compare slt {{.*}} -> !aicore.tile<i1>
// CORE-DAG:      aicore.vec select %{{.*}}, %c1_i32, %c0_i32
// CORE-DAG:      aicore.vec max {{.*}} : !aicore.tile<i32>
kernel arithmetic(x: i32[M, N], y: i32[M, N]) -> z: i32[M, N] {
  z = max(x * y, -x) + select(x < y, 1, 0);
}

// A quotient of floats and two remainders of integers give the floored quotient.
// TILED-LABEL: mmk.kernel @remainder
// TILED-NOT:     floordivsi
// TILED:         arith.divf
// TILED:         arith.divf
// TILED-NOT:     arith.divf
// TILED-NOT:     floordivsi
// TILED:         return
// HOST-LABEL:  aicore.kernel @remainder
// HOST:          arith.floordivsi %{{.*}}, %{{.*}} : i32
kernel remainder(x: i32[N], y: i32[N]) -> z: i32[N] {
  z = x % y;
}

// A bound of a loop that reads a sum of i32, which wraps: where the sum leaves 32 bits, nothing is
// excluded.
// CORE-LABEL:  aicore.kernel @wrapping
// CORE:          aicore.scalar_bound %most
// CORE-DAG:      arith.cmpi sle, %{{.*}}, %c2147483647
// CORE-DAG:      arith.cmpi sge, %{{.*}}, %c-2147483648
kernel wrapping(x: f32[M, N], most: i32) -> y: f32[M] {
  y[i] = sum[j | j < i + most](x[i, j]);
  schedule { tile M = 8, N = 64; reduce = two_pass; }
}
