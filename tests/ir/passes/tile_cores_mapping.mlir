// The mapping of tiles in the schedule, as the attribute of tile_count and tile_coords.
// RUN: mmk-opt %s --mmk-tile-cores --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", coupled, cores = 8, vector_cores = 1, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {
// A coupled core has one vector unit: the tile is that of the schedule.
// CHECK-LABEL: mmk.kernel @rows
// CHECK:         mmk.fusion_group tile [16, 128]
// CHECK:       mmk.tile_count {{.*}} by <rows, width = 1, cores = 8, grid = 0 x 0>
// CHECK:       mmk.tile_coords {{.*}} by <rows, width = 1, cores = 8, grid = 0 x 0>
mmk.kernel @rows dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%e: f32, %out: f32):
      %s = arith.negf %e : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    mmk.yield %neg : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [128]
  mmk.choice "cores" = [8]
  mmk.choice "order" = ["rows"]
}

// Down the columns first.
// CHECK-LABEL: mmk.kernel @columns
// CHECK:         mmk.fusion_group tile [16, 128]
// CHECK:       mmk.tile_count {{.*}} by <columns, width = 1, cores = 8, grid = 0 x 0>
// CHECK:       mmk.tile_coords {{.*}} by <columns, width = 1, cores = 8, grid = 0 x 0>
mmk.kernel @columns dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%e: f32, %out: f32):
      %s = arith.negf %e : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    mmk.yield %neg : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [128]
  mmk.choice "cores" = [8]
  mmk.choice "order" = ["columns"]
}

// Back and forth.
// CHECK-LABEL: mmk.kernel @zigzag
// CHECK:         mmk.fusion_group tile [16, 128]
// CHECK:       mmk.tile_count {{.*}} by <zigzag, width = 1, cores = 4, grid = 0 x 0>
// CHECK:       mmk.tile_coords {{.*}} by <zigzag, width = 1, cores = 4, grid = 0 x 0>
mmk.kernel @zigzag dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%e: f32, %out: f32):
      %s = arith.negf %e : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    mmk.yield %neg : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [128]
  mmk.choice "cores" = [4]
  mmk.choice "order" = ["zigzag"]
}

// The width of the bands is the number in the word.
// CHECK-LABEL: mmk.kernel @swizzle
// CHECK:         mmk.fusion_group tile [16, 128]
// CHECK:       mmk.tile_count {{.*}} by <swizzle, width = 6, cores = 4, grid = 0 x 0>
// CHECK:       mmk.tile_coords {{.*}} by <swizzle, width = 6, cores = 4, grid = 0 x 0>
mmk.kernel @swizzle dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%e: f32, %out: f32):
      %s = arith.negf %e : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    mmk.yield %neg : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [128]
  mmk.choice "cores" = [4]
  mmk.choice "order" = ["swizzle(6)"]
}

// A grid maps rectangles.
// CHECK-LABEL: mmk.kernel @grid
// CHECK:         mmk.fusion_group tile [16, 128]
// CHECK:       mmk.tile_count {{.*}} by <zigzag, width = 1, cores = 8, grid = 4 x 2>
// CHECK:       mmk.tile_coords {{.*}} by <zigzag, width = 1, cores = 8, grid = 4 x 2>
mmk.kernel @grid dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%e: f32, %out: f32):
      %s = arith.negf %e : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    mmk.yield %neg : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [128]
  mmk.choice "cores" = [8]
  mmk.choice "order" = ["zigzag"]
  mmk.choice "grid.M" = [4]
  mmk.choice "grid.N" = [2]
}

// A grid along one dimension has 1 along the other.
// CHECK-LABEL: mmk.kernel @grid_one_way
// CHECK:         mmk.fusion_group tile [16, 128]
// CHECK:       mmk.tile_count {{.*}} by <rows, width = 1, cores = 8, grid = 8 x 1>
// CHECK:       mmk.tile_coords {{.*}} by <rows, width = 1, cores = 8, grid = 8 x 1>
mmk.kernel @grid_one_way dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%e: f32, %out: f32):
      %s = arith.negf %e : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    mmk.yield %neg : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [128]
  mmk.choice "cores" = [8]
  mmk.choice "grid.M" = [8]
}

// 1 x 1 is no grid: else the other cores would have nothing to do.
// CHECK-LABEL: mmk.kernel @grid_of_one
// CHECK:         mmk.fusion_group tile [16, 128]
// CHECK:       mmk.tile_count {{.*}} by <rows, width = 1, cores = 8, grid = 0 x 0>
// CHECK:       mmk.tile_coords {{.*}} by <rows, width = 1, cores = 8, grid = 0 x 0>
mmk.kernel @grid_of_one dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%e: f32, %out: f32):
      %s = arith.negf %e : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    mmk.yield %neg : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [128]
  mmk.choice "cores" = [8]
  mmk.choice "grid.M" = [1]
  mmk.choice "grid.N" = [1]
}
}
