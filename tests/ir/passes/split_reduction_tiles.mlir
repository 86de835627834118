// Tiling and mapping of the splits of a reduction, and placement of their sum.
// RUN: mmk-opt %s --mmk-split-reduction --mmk-tile-cores --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=TILED
// RUN: mmk-opt %s --mmk-split-reduction --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse | FileCheck %s --check-prefix=PLACED

#machine = #aicore.machine<"tiny", split, cores = 8, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {

// Splits are mapped like batches, as the slowest coordinate. In a grid, each core has a rectangle
// of one split.
// TILED-LABEL: mmk.kernel @fused
// TILED:         %[[LENGTH:.*]] = arith.select
// TILED-NEXT:    %[[COUNT:.*]] = arith.ceildivsi %{{.*}}, %[[LENGTH]] : index
// TILED:         %[[PARTS:.*]] = mmk.fusion_group tile [32, 64] {
// TILED:           mmk.tile_count %block of %[[COUNT]] x %{{.*}} x %{{.*}} by <columns, width = 1, cores = 8, grid = 2 x 1 x 3>
// TILED:           scf.for
// TILED:             %[[PART:.*]], %row, %column = mmk.tile_coords {{.*}} of %[[COUNT]] x {{.*}} grid = 2 x 1 x 3>
// TILED:             %[[FIRST:.*]] = arith.muli %[[PART]], %[[LENGTH]]
// TILED:             %[[A:.*]] = tensor.extract_slice %a[0, %[[FIRST]]]
// TILED:             tensor.extract_slice %[[A]][%[[I:.*]], 0]
// TILED:             %[[ACC:.*]] = linalg.contract
// TILED:             tensor.insert_slice %[[ACC]] into %{{.*}}[%[[PART]], %[[I]], %[[J:.*]]] [1, %{{.*}}, %{{.*}}]
// The sum is mapped by rows to all cores, whichever computed the splits: 8 rows for a vector core.
// TILED:         mmk.fusion_group tile [16, 512] {
// TILED:           mmk.tile_count {{.*}} by <rows, width = 1, cores = 8, grid = 0 x 0>
// TILED:             tensor.extract_slice %[[PARTS]][0, %[[I2:.*]], %[[J2:.*]]] [%{{.*}}, %[[ROWS:.*]], %[[COLUMNS:.*]]] [1, 1, 1]
// TILED:             %[[SUM:.*]] = linalg.reduce
// TILED:             linalg.generic {{.*}} ins(%[[SUM]] :

// The splits are stored to a workspace by the fixpipe.
// PLACED-LABEL: aicore.kernel @fused
// PLACED:         arith.select
// PLACED-NEXT:    %[[COUNT:.*]] = arith.ceildivsi
// PLACED:         %[[WS:.*]] = aicore.workspace "acc" [%[[COUNT]], %M, %N] : memref<?x?x?xf32, #aicore.space<gm>>
// PLACED:         aicore.phase {
// PLACED:           aicore.fixpipe %{{.*}} -> %[[WS]][%[[PART:.*]], %{{.*}}, %{{.*}}] along [1, 2]
// In the next phase the vector cores add them up, one after the other, from zero; then the epilogue.
// PLACED:         aicore.phase {
// PLACED-DAG:       %[[ACC:.*]] = aicore.alloc "acc" of "scratch" copies 1 : memref<8x512xf32, #aicore.space<ub>>
// PLACED-DAG:       %[[OUT:.*]] = aicore.alloc "out" of "out" copies 1 : memref<8x512xf32, #aicore.space<ub>>
// PLACED-DAG:       %[[IN:.*]] = aicore.alloc "part" of "ub" copies 1 : memref<8x512xf32, #aicore.space<ub>>
// PLACED:           aicore.vector_cores 2 {
// PLACED:             scf.for
// PLACED:               aicore.vector ins() outs(%[[ACC]][%[[S:.*]]] :
// PLACED-NEXT:            aicore.yield %cst : f32
// PLACED:               scf.for %[[P:.*]] = %c0 to %[[COUNT]] step %c1 {
// PLACED:                 %[[T:.*]] = aicore.slot %{{.*}} of %[[IN]]
// PLACED:                 aicore.load %[[WS]][%[[P]], %[[ROW:.*]], %[[COLUMN:.*]]] along [1, 2] size(%[[H:.*]], %[[W:.*]]) -> %[[IN]][%[[T]]] pad 1
// PLACED:                 aicore.vector ins(%[[ACC]][%[[S]]] full, %[[IN]][%[[T]]] full : {{.*}}) outs(%[[ACC]][%[[S]]] : {{.*}}) size(%[[H]], %[[W]]) {
// PLACED:                   arith.addf
// PLACED:               aicore.vector ins(%[[ACC]][%[[S]]] full : {{.*}}) outs(%[[OUT]][
// PLACED:                 arith.negf
// PLACED:               aicore.store %[[OUT]]{{.*}} -> %c[%{{.*}}, %[[COLUMN]]] along [0, 1] size(%[[H]], %[[W]])
mmk.kernel @fused dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %c = mmk.fusion_group {
  ^bb0(%block: index):
    %m = mmk.dim "M"
    %n = mmk.dim "N"
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%acc : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>)
        {
    ^bb0(%e: f32, %o: f32):
      %r = arith.negf %e : f32
      linalg.yield %r : f32
    } -> tensor<?x?xf32>
    mmk.yield %y : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %c : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [32]
  mmk.choice "tile.N" = [64]
  mmk.choice "tile.K" = [64]
  mmk.choice "stage.K" = [128]
  mmk.choice "cores" = [8]
  mmk.choice "order" = ["columns"]
  mmk.choice "grid.M" = [2]
  mmk.choice "grid.K" = [3]
}

// A plain product: the sum itself is stored, so it is an output, of which the schedule may request
// two copies. Without a grid, the tiles of all splits are mapped one by one.
// TILED-LABEL: mmk.kernel @plain
// TILED:         mmk.tile_count %block of %{{.*}} by <rows, width = 1, cores = 8, grid = 0 x 0>
// PLACED-LABEL: aicore.kernel @plain
// PLACED:         aicore.phase {
// PLACED:         aicore.phase {
// PLACED:           %[[ACC:.*]] = aicore.alloc "acc" of "out"
// PLACED:           aicore.vector ins(%[[ACC]][
// PLACED:           }
// PLACED:           aicore.store %[[ACC]]
mmk.kernel @plain dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %c = mmk.fusion_group {
  ^bb0(%block: index):
    %m = mmk.dim "M"
    %n = mmk.dim "N"
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.yield %acc : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %c : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [32]
  mmk.choice "tile.N" = [64]
  mmk.choice "tile.K" = [64]
  mmk.choice "cores" = [8]
  mmk.choice "grid.K" = [3]
}
}
