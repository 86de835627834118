// Each fusion group becomes a loop over the output tiles of a core.
// RUN: mmk-opt %s --mmk-tile-cores --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#x3 = affine_map<(b, m, n, k) -> (b, m, k)>
#y2 = affine_map<(b, m, n, k) -> (k, n)>
#z3 = affine_map<(b, m, n, k) -> (b, m, n)>
#id4 = affine_map<(b, h, m, n) -> (b, h, m, n)>
#id1 = affine_map<(n) -> (n)>

module attributes {aicore.machine = #machine} {

// A plain product. The core computes the number of its tiles and the coordinates of the j-th;
// ragged tiles have the rest of the extent.
// CHECK-LABEL: mmk.kernel @product
// CHECK:       ^bb0(%[[A:.*]]: tensor<?x?xf16>, %[[B:.*]]: tensor<?x?xf16>):
// CHECK:       mmk.fusion_group tile [64, 32] {
// CHECK-NEXT:  ^bb0(%[[BLOCK:.*]]: index):
// CHECK:         %[[ROWS:.*]] = arith.ceildivsi %[[M:.*]], %[[TILE_M:c64]]
// CHECK:         %[[COLUMNS:.*]] = arith.ceildivsi %[[N:.*]], %[[TILE_N:c32]]
// CHECK:         %[[SHARE:.*]] = mmk.tile_count %[[BLOCK]] of %c1 x %[[ROWS]] x %[[COLUMNS]] by <rows, width = 1, cores = 4, grid = 0 x 0>
// CHECK:         %[[EMPTY:.*]] = tensor.empty(%[[M]], %[[N]])
// CHECK:         %[[LOOP:.*]] = scf.for %[[J:.*]] = %c0 to %[[SHARE]] step %c1 iter_args(%[[OUT:.*]] = %[[EMPTY]])
// CHECK-NEXT:      %{{.*}}, %[[ROW:.*]], %[[COLUMN:.*]] = mmk.tile_coords %[[J]] on %[[BLOCK]] of %c1 x %[[ROWS]] x %[[COLUMNS]] by
// CHECK-NEXT:      %[[I0:.*]] = arith.muli %[[ROW]], %[[TILE_M]]
// CHECK-NEXT:      %[[REST_M:.*]] = arith.subi %[[M]], %[[I0]]
// CHECK-NEXT:      %[[TM:.*]] = arith.minsi %[[REST_M]], %[[TILE_M]]
// CHECK-NEXT:      %[[J0:.*]] = arith.muli %[[COLUMN]], %[[TILE_N]]
// CHECK-NEXT:      %[[REST_N:.*]] = arith.subi %[[N]], %[[J0]]
// CHECK-NEXT:      %[[TN:.*]] = arith.minsi %[[REST_N]], %[[TILE_N]]
// CHECK-NEXT:      %[[K:.*]] = mmk.dim "K"
// CHECK-NEXT:      %[[SLICE_A:.*]] = tensor.extract_slice %[[A]][%[[I0]], 0] [%[[TM]], %[[K]]] [1, 1]
// CHECK-NEXT:      %[[SLICE_B:.*]] = tensor.extract_slice %[[B]][0, %[[J0]]] [%[[K]], %[[TN]]] [1, 1]
// CHECK-NEXT:      %[[TILE:.*]] = tensor.empty(%[[TM]], %[[TN]])
// CHECK-NEXT:      %[[FILL:.*]] = linalg.fill {{.*}} outs(%[[TILE]]
// CHECK-NEXT:      %[[ACC:.*]] = linalg.contract {{.*}} ins(%[[SLICE_A]], %[[SLICE_B]] : {{.*}}) outs(%[[FILL]]
// CHECK-NEXT:      %[[INSERT:.*]] = tensor.insert_slice %[[ACC]] into %[[OUT]][%[[I0]], %[[J0]]] [%[[TM]], %[[TN]]] [1, 1]
// CHECK-NEXT:      scf.yield %[[INSERT]]
// The marks of this loop for later passes.
// CHECK-NEXT:    }
// CHECK-NEXT:    mmk.yield %[[LOOP]]
mmk.kernel @product dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %c = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.yield %acc : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %c : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "cores" = [4]
}

// An epilogue is tiled, and the product on the same tile before it; the bias is sliced to the
// tile's columns. Both are results, so both are inserted.
// CHECK-LABEL: mmk.kernel @epilogue
// CHECK:       ^bb0(%{{.*}}: tensor<?x?xf16>, %{{.*}}: tensor<?x?xf16>, %[[BIAS:.*]]: tensor<?xf32>):
// CHECK:         %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[OUT0:.*]] = %{{.*}}, %[[OUT1:.*]] = %{{.*}})
// CHECK:           %[[ACC:.*]] = linalg.contract
// CHECK:           %[[PART:.*]] = tensor.extract_slice %[[BIAS]][%[[J0:.*]]] [%[[TN:.*]]] [1]
// CHECK:           %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[ACC]], %[[PART]] :
// CHECK:           %[[INSERT0:.*]] = tensor.insert_slice %[[ACC]] into %[[OUT0]][%{{.*}}, %[[J0]]] [%{{.*}}, %[[TN]]]
// CHECK:           %[[INSERT1:.*]] = tensor.insert_slice %[[SUM]] into %[[OUT1]][%{{.*}}, %[[J0]]] [%{{.*}}, %[[TN]]]
// CHECK:           scf.yield %[[INSERT0]], %[[INSERT1]]
// CHECK:         mmk.yield %[[LOOP]]#0, %[[LOOP]]#1
mmk.kernel @epilogue dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>]
    results [#mmk.named<"c"["M", "N"]>, #mmk.named<"d"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %c:2 = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    %empty1 = tensor.empty(%m, %n) : tensor<?x?xf32>
    %sum = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty1 : tensor<?x?xf32>)
        {
    ^bb0(%e: f32, %f: f32, %out: f32):
      %s = arith.addf %e, %f : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    mmk.yield %acc, %sum : tensor<?x?xf32>, tensor<?x?xf32>
  } -> tensor<?x?xf32>, tensor<?x?xf32>
  mmk.return %c#0, %c#1 : tensor<?x?xf32>, tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "cores" = [4]
}

// A batch is a third coordinate of a tile, one at a time. Only one operand has it; the other is the
// same for all. Without a choice, tiles are 128 x 256.
// CHECK-LABEL: mmk.kernel @batched
// CHECK:       ^bb0(%[[A:.*]]: tensor<?x?x?xf16>, %[[B:.*]]: tensor<?x?xf16>):
// CHECK:         mmk.fusion_group tile [128, 256]
// CHECK:         mmk.tile_count %{{.*}} of %[[BATCHES:.*]] x %{{.*}} x %{{.*}} by
// CHECK:         scf.for
// CHECK:           %[[BATCH:.*]], %{{.*}}, %{{.*}} = mmk.tile_coords {{.*}} of %[[BATCHES]] x
// CHECK:           tensor.extract_slice %[[A]][%[[BATCH]], %{{.*}}, 0] [1, %{{.*}}, %{{.*}}] [1, 1, 1] : tensor<?x?x?xf16> to tensor<1x?x?xf16>
// CHECK:           tensor.extract_slice %[[B]][0, %{{.*}}]
// CHECK:           tensor.insert_slice %{{.*}} into %{{.*}}[%[[BATCH]], %{{.*}}, %{{.*}}] [1, %{{.*}}, %{{.*}}]
mmk.kernel @batched dims ["B", "M", "K", "N"]
    args [#mmk.named<"a"["B", "M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["B", "M", "N"]>] {
^bb0(%a: tensor<?x?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %bs = mmk.dim "B"
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %c = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%bs, %m, %n) : tensor<?x?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %acc = linalg.contract indexing_maps = [#x3, #y2, #z3]
        ins(%a, %b : tensor<?x?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    mmk.yield %acc : tensor<?x?x?xf32>
  } -> tensor<?x?x?xf32>
  mmk.return %c : tensor<?x?x?xf32>
}

// Several batch dimensions are one coordinate, taken apart: b = batch / H, h = batch mod H.
// Without a product the schedule's tile is one step of a vector core; a block has two of them, and
// takes twice the rows.
// CHECK-LABEL: mmk.kernel @elementwise4
// CHECK:         mmk.fusion_group tile [32, 64]
// CHECK:         %[[B:.*]] = mmk.dim "B"
// CHECK:         %[[H:.*]] = mmk.dim "H"
// CHECK:         %[[BATCHES:.*]] = arith.muli %[[B]], %[[H]]
// CHECK:         mmk.tile_count %{{.*}} of %[[BATCHES]] x
// CHECK:         scf.for
// CHECK:           %[[BATCH:.*]], %{{.*}}, %{{.*}} = mmk.tile_coords
// CHECK-NEXT:      %[[H0:.*]] = arith.remsi %[[BATCH]], %[[H]]
// CHECK-NEXT:      %[[B0:.*]] = arith.divsi %[[BATCH]], %[[H]]
// CHECK:           tensor.extract_slice %{{.*}}[%[[B0]], %[[H0]], %{{.*}}, %{{.*}}] [1, 1,
mmk.kernel @elementwise4 dims ["B", "H", "M", "N"]
    args [#mmk.named<"x"["B", "H", "M", "N"]>] results [#mmk.named<"y"["B", "H", "M", "N"]>] {
^bb0(%x: tensor<?x?x?x?xf32>):
  %b = mmk.dim "B"
  %h = mmk.dim "H"
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%b, %h, %m, %n) : tensor<?x?x?x?xf32>
    %neg = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%x : tensor<?x?x?x?xf32>) outs(%empty : tensor<?x?x?x?xf32>)
        {
    ^bb0(%e: f32, %out: f32):
      %s = arith.negf %e : f32
      linalg.yield %s : f32
    } -> tensor<?x?x?x?xf32>
    mmk.yield %neg : tensor<?x?x?x?xf32>
  } -> tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [64]
}

// One dimension: one row of tiles, and twice the columns.
// CHECK-LABEL: mmk.kernel @elementwise1
// CHECK:         mmk.fusion_group tile [1, 1024]
// CHECK:         %[[COLUMNS:.*]] = arith.ceildivsi
// CHECK:         mmk.tile_count %{{.*}} of %c1 x %c1 x %[[COLUMNS]] by
mmk.kernel @elementwise1 dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"y"["N"]>] {
^bb0(%x: tensor<?xf32>):
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%n) : tensor<?xf32>
    %neg = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
        ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
    ^bb0(%e: f32, %out: f32):
      %s = arith.negf %e : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    mmk.yield %neg : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
} schedule {
  mmk.choice "tile.N" = [512]
}
}
