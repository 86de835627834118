// A condition bounds the depth of a product: the tile goes over the part that it leaves.

// Rows and a scalar: up to the last row of the tile, and to n. The other operand begins behind its
// tensor where nothing is left.
// TILED-LABEL: mmk.kernel @rows
// TILED:         mmk.tile_coords
// TILED:         arith.select %{{.*}} {mmk.excludes} : f16
// TILED:         mmk.tile_coords
// TILED:         %[[DEPTH:.*]] = mmk.dim "N"
// TILED:         %[[N:.*]] = aicore.scalar_bound %n absent 2147483647
// TILED:         %[[END:.*]] = arith.minsi
// TILED:         %[[EMPTY:.*]] = arith.cmpi sle
// TILED:         %[[LENGTH:.*]] = arith.maxsi %{{.*}}, %c1 : index
// TILED:         tensor.extract_slice %{{.*}}[%{{.*}}, %[[FIRST:.*]]] [%{{.*}}, %[[LENGTH]]] [1, 1] : tensor<?x?xf16>
// TILED:         %[[ROWS:.*]] = tensor.dim %v, %c0 : tensor<?x?xf16>
// TILED:         %[[FROM:.*]] = arith.select %[[EMPTY]], %[[ROWS]], %[[FIRST]] : index
// TILED:         tensor.extract_slice %v[%[[FROM]], %{{.*}}] [%[[LENGTH]], %{{.*}}] [1, 1] : tensor<?x?xf16>
// TILED:         scf.for %{{.*}} = %c0 to %[[LENGTH]]
// TILED:         linalg.contract {{.*}} {mmk.bounded = 1 : i64}
// CORE-LABEL:  aicore.kernel @rows
// CORE:          aicore.load %v{{.*}} clipped
kernel rows(a: f16[M, N], v: f16[N, D], n: i32) -> o: f32[M, D] {
  o[i, e] = sum[j | j < n && j <= i](a[i, j] * v[j, e]);
}

// Lengths of the rows of a tile, of which the largest bounds it.
// TILED-LABEL: mmk.kernel @lengths
// TILED:         linalg.generic
// TILED:         mmk.tile_coords
// TILED:         %[[SLICE:.*]] = tensor.extract_slice %l[%{{.*}}] [%{{.*}}] [1] : tensor<?xi32>
// TILED:         mmk.extremes %[[SLICE]] along 0 : tensor<?xi32>
// TILED:         linalg.contract {{.*}} {mmk.bounded = 1 : i64}
// CORE-LABEL:  aicore.kernel @lengths
// CORE:          aicore.scalar_range %l[%{{.*}}] along 0 size(%{{.*}}) absent [-2147483648, 2147483647]
kernel lengths(a: f16[M, N], v: f16[N, D], l: i32[M]) -> o: f32[M, D] {
  o[i, e] = sum[j | j < l[i]](a[i, j] * v[j, e]);
}

// No comparison, and a selection of the body, whose 0 is multiplied.
// TILED-LABEL: mmk.kernel @unbounded
// TILED-NOT:     mmk.bounded
// TILED:         mmk.return
kernel unbounded(a: f16[M, N], v: f16[N, D], m: i8[M, N]) -> o: f32[M, D], p: f32[M, D] {
  o[i, e] = sum[j | m[i, j] > 0](a[i, j] * v[j, e]);
  p[i, e] = sum[j](select(j <= i, a[i, j], 0) * v[j, e]);
}
