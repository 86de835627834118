// The arithmetic of each order of the output tiles, and of a grid.
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", coupled, cores = 8, vector_cores = 1, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {

// By rows: tile t of the order goes to core t mod 4, so a core has the tiles block, block + 4, ...
// CHECK-LABEL: aicore.kernel @rows
// CHECK:       ^bb0(%[[BLOCK:.*]]: index):
// CHECK:         %[[ROWS:.*]] = arith.ceildivsi %M, %c16
// CHECK-NEXT:    %[[COLUMNS:.*]] = arith.ceildivsi %N, %c32
// CHECK-NEXT:    %[[TILES:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK-NEXT:    %[[REST:.*]] = arith.subi %[[TILES]], %[[BLOCK]]
// A core beyond the last tile has none: not less.
// CHECK-NEXT:    %[[LEFT:.*]] = arith.maxsi %[[REST]], %c0
// CHECK-NEXT:    %[[SHARE:.*]] = arith.ceildivsi %[[LEFT]], %c4
// CHECK-NEXT:    scf.for %[[J:.*]] = %c0 to %[[SHARE]] step %c1 {
// CHECK-NEXT:      %[[SKIPPED:.*]] = arith.muli %[[J]], %c4
// CHECK-NEXT:      %[[T:.*]] = arith.addi %[[BLOCK]], %[[SKIPPED]]
// CHECK-NEXT:      %[[I:.*]] = arith.remsi %[[T]], %[[TILES]]
// CHECK-NEXT:      %[[ROW:.*]] = arith.divsi %[[I]], %[[COLUMNS]]
// CHECK-NEXT:      %[[COLUMN:.*]] = arith.remsi %[[I]], %[[COLUMNS]]
// CHECK-NEXT:      arith.muli %[[ROW]], %c16
// CHECK:           arith.muli %[[COLUMN]], %c32
mmk.kernel @rows dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %out = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>)
        {
    ^bb0(%e0: f32, %o: f32):
      %p = arith.negf %e0 : f32
      linalg.yield %p : f32
    } -> tensor<?x?xf32>
    mmk.yield %out : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [32]
  mmk.choice "cores" = [4]
  mmk.choice "order" = ["rows"]
}

// CHECK-LABEL: aicore.kernel @columns
// CHECK:         %[[ROWS:.*]] = arith.ceildivsi %M, %c16
// CHECK-NEXT:    %[[COLUMNS:.*]] = arith.ceildivsi %N, %c32
// CHECK-NEXT:    %[[TILES:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK:           %[[I:.*]] = arith.remsi %{{.*}}, %[[TILES]]
// CHECK-NEXT:      %[[ROW:.*]] = arith.remsi %[[I]], %[[ROWS]]
// CHECK-NEXT:      %[[COLUMN:.*]] = arith.divsi %[[I]], %[[ROWS]]
// CHECK-NEXT:      arith.muli %[[ROW]], %c16
// CHECK:           arith.muli %[[COLUMN]], %c32
mmk.kernel @columns dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %out = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>)
        {
    ^bb0(%e0: f32, %o: f32):
      %p = arith.negf %e0 : f32
      linalg.yield %p : f32
    } -> tensor<?x?xf32>
    mmk.yield %out : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [32]
  mmk.choice "cores" = [4]
  mmk.choice "order" = ["columns"]
}

// Every other row is traversed backwards, so that successive tiles are adjacent in memory.
// CHECK-LABEL: aicore.kernel @zigzag
// CHECK:         %[[ROWS:.*]] = arith.ceildivsi %M, %c16
// CHECK-NEXT:    %[[COLUMNS:.*]] = arith.ceildivsi %N, %c32
// CHECK-NEXT:    %[[TILES:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK:           %[[I:.*]] = arith.remsi %{{.*}}, %[[TILES]]
// CHECK-NEXT:      %[[ROW:.*]] = arith.divsi %[[I]], %[[COLUMNS]]
// CHECK-NEXT:      %[[FORTH:.*]] = arith.remsi %[[I]], %[[COLUMNS]]
// CHECK-NEXT:      %[[PARITY:.*]] = arith.remsi %[[ROW]], %c2
// CHECK-NEXT:      %[[LAST:.*]] = arith.subi %[[COLUMNS]], %c1
// CHECK-NEXT:      %[[BACK:.*]] = arith.subi %[[LAST]], %[[FORTH]]
// CHECK-NEXT:      %[[ODD:.*]] = arith.cmpi eq, %[[PARITY]], %c1
// CHECK-NEXT:      %[[COLUMN:.*]] = arith.select %[[ODD]], %[[BACK]], %[[FORTH]]
// CHECK-NEXT:      arith.muli %[[ROW]], %c16
// CHECK:           arith.muli %[[COLUMN]], %c32
mmk.kernel @zigzag dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %out = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>)
        {
    ^bb0(%e0: f32, %o: f32):
      %p = arith.negf %e0 : f32
      linalg.yield %p : f32
    } -> tensor<?x?xf32>
    mmk.yield %out : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [32]
  mmk.choice "cores" = [4]
  mmk.choice "order" = ["zigzag"]
}

// Bands of three rows, each traversed column by column. The last band may be lower: its height is
// the remainder, else rows beyond the edge would be visited and others twice.
// CHECK-LABEL: aicore.kernel @swizzle
// CHECK:         %[[ROWS:.*]] = arith.ceildivsi %M, %c16
// CHECK-NEXT:    %[[COLUMNS:.*]] = arith.ceildivsi %N, %c32
// CHECK-NEXT:    %[[TILES:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK:           %[[I:.*]] = arith.remsi %{{.*}}, %[[TILES]]
// CHECK-NEXT:      %[[BAND_TILES:.*]] = arith.muli %[[COLUMNS]], %c3
// CHECK-NEXT:      %[[BAND:.*]] = arith.divsi %[[I]], %[[BAND_TILES]]
// CHECK-NEXT:      %[[IN_BAND:.*]] = arith.remsi %[[I]], %[[BAND_TILES]]
// CHECK-NEXT:      %[[FIRST:.*]] = arith.muli %[[BAND]], %c3
// CHECK-NEXT:      %[[LEFT:.*]] = arith.subi %[[ROWS]], %[[FIRST]]
// CHECK-NEXT:      %[[HEIGHT:.*]] = arith.minsi %[[LEFT]], %c3
// CHECK-NEXT:      %[[DOWN:.*]] = arith.remsi %[[IN_BAND]], %[[HEIGHT]]
// CHECK-NEXT:      %[[ROW:.*]] = arith.addi %[[FIRST]], %[[DOWN]]
// CHECK-NEXT:      %[[COLUMN:.*]] = arith.divsi %[[IN_BAND]], %[[HEIGHT]]
// CHECK-NEXT:      arith.muli %[[ROW]], %c16
// CHECK:           arith.muli %[[COLUMN]], %c32
mmk.kernel @swizzle dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %out = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>)
        {
    ^bb0(%e0: f32, %o: f32):
      %p = arith.negf %e0 : f32
      linalg.yield %p : f32
    } -> tensor<?x?xf32>
    mmk.yield %out : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [32]
  mmk.choice "cores" = [4]
  mmk.choice "order" = ["swizzle(3)"]
}

// A grid of 2 x 3 on 8 cores: each owns a rectangle, cut at the edge, and the last two own nothing.
// CHECK-LABEL: aicore.kernel @grid
// CHECK:       ^bb0(%[[BLOCK:.*]]: index):
// CHECK:         %[[ROWS:.*]] = arith.ceildivsi %M, %c16
// CHECK-NEXT:    %[[COLUMNS:.*]] = arith.ceildivsi %N, %c32
// CHECK-NEXT:    %[[GI:.*]] = arith.divsi %[[BLOCK]], %c3
// CHECK-NEXT:    %[[GJ:.*]] = arith.remsi %[[BLOCK]], %c3
// CHECK-NEXT:    %[[LENGTH_M:.*]] = arith.ceildivsi %[[ROWS]], %c2
// CHECK-NEXT:    %[[START_M:.*]] = arith.muli %[[GI]], %[[LENGTH_M]]
// CHECK-NEXT:    %[[FIRST_M:.*]] = arith.minsi %[[START_M]], %[[ROWS]]
// CHECK-NEXT:    %[[REST_M:.*]] = arith.subi %[[ROWS]], %[[FIRST_M]]
// CHECK-NEXT:    %[[OWN_M:.*]] = arith.minsi %[[LENGTH_M]], %[[REST_M]]
// CHECK-NEXT:    %[[LENGTH_N:.*]] = arith.ceildivsi %[[COLUMNS]], %c3
// CHECK-NEXT:    %[[START_N:.*]] = arith.muli %[[GJ]], %[[LENGTH_N]]
// CHECK-NEXT:    %[[FIRST_N:.*]] = arith.minsi %[[START_N]], %[[COLUMNS]]
// CHECK-NEXT:    %[[REST_N:.*]] = arith.subi %[[COLUMNS]], %[[FIRST_N]]
// CHECK-NEXT:    %[[OWN_N:.*]] = arith.minsi %[[LENGTH_N]], %[[REST_N]]
// CHECK-NEXT:    %[[AREA:.*]] = arith.muli %[[OWN_M]], %[[OWN_N]]
// CHECK-NEXT:    %[[IN_GRID:.*]] = arith.cmpi slt, %[[BLOCK]], %c6
// CHECK-NEXT:    %[[SHARE:.*]] = arith.select %[[IN_GRID]], %[[AREA]], %c0
// CHECK-NEXT:    scf.for %[[J:.*]] = %c0 to %[[SHARE]] step %c1 {
// CHECK-NEXT:      %[[I:.*]] = arith.remsi %[[J]], %[[AREA]]
// CHECK-NEXT:      %[[DOWN:.*]] = arith.divsi %[[I]], %[[OWN_N]]
// CHECK-NEXT:      %[[ACROSS:.*]] = arith.remsi %[[I]], %[[OWN_N]]
// CHECK-NEXT:      %[[ROW:.*]] = arith.addi %[[FIRST_M]], %[[DOWN]]
// CHECK-NEXT:      %[[COLUMN:.*]] = arith.addi %[[FIRST_N]], %[[ACROSS]]
// CHECK-NEXT:      arith.muli %[[ROW]], %c16
// CHECK:           arith.muli %[[COLUMN]], %c32
mmk.kernel @grid dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %out = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>)
        {
    ^bb0(%e0: f32, %o: f32):
      %p = arith.negf %e0 : f32
      linalg.yield %p : f32
    } -> tensor<?x?xf32>
    mmk.yield %out : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [16]
  mmk.choice "tile.N" = [32]
  mmk.choice "cores" = [8]
  mmk.choice "order" = ["rows"]
  mmk.choice "grid.M" = [2]
  mmk.choice "grid.N" = [3]
}
}
