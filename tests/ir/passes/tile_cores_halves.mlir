// Rows of an elementwise tile do not run along a literal dimension of a few elements: the halves of
// a vector give two rows, whatever the tile. They run along the nearest dimension outside of it.
// RUN: mmk-opt %s --mmk-tile-cores --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id4 = affine_map<(b, h, m, n) -> (b, h, m, n)>

module attributes {aicore.machine = #machine} {

// T x 2 batches of H x P tiles.
// CHECK-LABEL: mmk.kernel @halves
// CHECK:         mmk.fusion_group tile [32, 64] {
// CHECK:         %[[BATCHES:.*]] = arith.muli %[[T:.*]], %[[TWO:.*]] : index
// CHECK:         %[[ROWS:.*]] = arith.ceildivsi %[[H:.*]], %c32
// CHECK:         %[[COLUMNS:.*]] = arith.ceildivsi %[[P:.*]], %c64
// CHECK:         mmk.tile_count %{{.*}} of %[[BATCHES]] x %[[ROWS]] x %[[COLUMNS]] by
// CHECK:           %[[BATCH:.*]], %[[ROW:.*]], %[[COLUMN:.*]] = mmk.tile_coords
// CHECK:           %[[HALF:.*]] = arith.remsi %[[BATCH]], %[[TWO]]
// CHECK:           %[[TOKEN:.*]] = arith.divsi %[[BATCH]], %[[TWO]]
// CHECK:           %[[HEAD:.*]] = arith.muli %[[ROW]], %c32
// CHECK:           tensor.insert_slice %{{.*}} into %{{.*}}[%[[TOKEN]], %[[HEAD]], %[[HALF]], %{{.*}}] [1, %{{.*}}, 1, %{{.*}}]
mmk.kernel @halves dims ["T", "H", "P"] args [#mmk.named<"x"["T", "H", "2", "P"]>]
    results [#mmk.named<"y"["T", "H", "2", "P"]>] {
^bb0(%x: tensor<?x?x?x?xf32>):
  %t = mmk.dim "T"
  %h = mmk.dim "H"
  %two = mmk.dim "2"
  %p = mmk.dim "P"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%t, %h, %two, %p) : tensor<?x?x?x?xf32>
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
  mmk.choice "tile.H" = [16]
  mmk.choice "tile.P" = [64]
}

// With literal dimensions of a few elements alone, rows run along the last but one.
// CHECK-LABEL: mmk.kernel @small
// CHECK:         mmk.fusion_group tile [{{[0-9]+}}, 64] {
// CHECK:           tensor.insert_slice %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] [1, %{{.*}}, %{{.*}}]
mmk.kernel @small dims ["P"] args [#mmk.named<"x"["3", "2", "P"]>]
    results [#mmk.named<"y"["3", "2", "P"]>] {
^bb0(%x: tensor<?x?x?xf32>):
  %three = mmk.dim "3"
  %two = mmk.dim "2"
  %p = mmk.dim "P"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%three, %two, %p) : tensor<?x?x?xf32>
    %neg = linalg.generic {indexing_maps = [affine_map<(h, m, n) -> (h, m, n)>, affine_map<(h, m, n) -> (h, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x : tensor<?x?x?xf32>) outs(%empty : tensor<?x?x?xf32>)
        {
    ^bb0(%e: f32, %out: f32):
      %s = arith.negf %e : f32
      linalg.yield %s : f32
    } -> tensor<?x?x?xf32>
    mmk.yield %neg : tensor<?x?x?xf32>
  } -> tensor<?x?x?xf32>
  mmk.return %y : tensor<?x?x?xf32>
} schedule {
  mmk.choice "tile.P" = [64]
}
}
