// A tile that is left to the shape: the chosen number is its maximum, and its size is computed from
// the extents when the kernel runs.
// RUN: mmk-opt %s --mmk-tile-cores --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 20, vector_cores = 2, memories = {gm = [1099511627776, 512]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {

// The largest tile first: its waves over 20 cores, and the time of one. The cores of a row of tiles
// read the same rows of A, and the cores of a column the same columns of B.
// CHECK-LABEL: mmk.kernel @fits
// CHECK:         mmk.fusion_group tile [128, 128]
// CHECK:         %[[M:.*]] = mmk.dim "M"
// CHECK:         %[[N:.*]] = mmk.dim "N"
// CHECK:         %[[ACROSS:.*]] = arith.ceildivsi %[[N]], %c128
// CHECK:         %[[DOWN:.*]] = arith.ceildivsi %[[M]], %c128
// CHECK:         %[[TILES:.*]] = arith.muli %[[ACROSS]], %[[DOWN]]
// CHECK:         %[[ROUNDS:.*]] = arith.ceildivsi %[[TILES]], %c20
// CHECK:         %[[OFA:.*]] = arith.minsi %[[ACROSS]], %c20
// CHECK:         %[[BANDS:.*]] = arith.ceildivsi %c20, %[[ACROSS]]
// CHECK:         %[[OFB:.*]] = arith.minsi %[[DOWN]], %[[BANDS]]
// CHECK:         %[[WIDTH:.*]] = arith.minsi %[[N]], %c128
// CHECK:         %[[ROWS:.*]] = arith.minsi %[[M]], %c128
// CHECK:         arith.muli %[[OFA]], %c3
// CHECK:         %[[TIMEA:.*]] = arith.muli %[[ROWS]]
// CHECK:         %[[SLOWB:.*]] = arith.muli %[[OFB]], %c3
// CHECK:         arith.muli %[[WIDTH]], %[[SLOWB]]
// CHECK:         arith.maxsi %[[WIDTH]], %c128
// CHECK:         %[[BOTH:.*]] = arith.addi %[[TIMEA]]
// CHECK:         %[[TIME:.*]] = arith.muli %[[ROUNDS]], %[[BOTH]]
// Then the least height with the same number of waves, in whole fractals.
// CHECK:         %[[ROOM:.*]] = arith.muli %[[ROUNDS]], %c20
// CHECK:         %[[MOST:.*]] = arith.divsi %[[ROOM]], %[[ACROSS]]
// CHECK:         %[[SHARE:.*]] = arith.ceildivsi %[[M]], %[[MOST]]
// CHECK:         %[[FRACTALS:.*]] = arith.ceildivsi %[[SHARE]], %c16
// CHECK:         %[[HEIGHT:.*]] = arith.muli %[[FRACTALS]], %c16
// CHECK:         %[[BETTER:.*]] = arith.cmpi sle, %{{.*}}, %[[TIME]]
// CHECK:         %[[LEAST:.*]] = arith.select %[[BETTER]], %{{.*}}, %[[TIME]]
// CHECK:         %[[H:.*]] = arith.select %[[BETTER]], %[[HEIGHT]], %c128
// Then both for tiles of half the width.
// CHECK:         %[[BETTER2:.*]] = arith.cmpi sle, %{{.*}}, %[[LEAST]]
// CHECK:         %[[H2:.*]] = arith.select %[[BETTER2]], %c128, %[[H]]
// CHECK:         %[[W2:.*]] = arith.select %[[BETTER2]], %c64, %c128
// CHECK:         %[[BETTER3:.*]] = arith.cmpi sle
// CHECK:         %[[TM:.*]] = arith.select %[[BETTER3]], %{{.*}}, %[[H2]]
// CHECK:         %[[TN:.*]] = arith.select %[[BETTER3]], %c64, %[[W2]]
// CHECK:         %[[R:.*]] = arith.ceildivsi %[[M]], %[[TM]]
// CHECK:         %[[C:.*]] = arith.ceildivsi %[[N]], %[[TN]]
// CHECK:         mmk.tile_count %block of %c1 x %[[R]] x %[[C]]
// CHECK:           %{{.*}}, %[[ROW:.*]], %[[COLUMN:.*]] = mmk.tile_coords
// CHECK:           %[[I:.*]] = arith.muli %[[ROW]], %[[TM]]
// CHECK:           %[[REST:.*]] = arith.subi %[[M]], %[[I]]
// CHECK:           arith.minsi %[[REST]], %[[TM]]
mmk.kernel @fits dims ["M", "K", "N"]
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
  mmk.choice "cores" = [20]
  mmk.choice "tile.M" = [128] {fit}
  mmk.choice "tile.N" = [128] {fit}
}

// With the columns given, only the height fits: the largest, or the least with as many waves.
// CHECK-LABEL: mmk.kernel @rows_fit
// CHECK:         %[[BETTER:.*]] = arith.cmpi sle
// CHECK:         %[[TM:.*]] = arith.select %[[BETTER]], %{{.*}}, %c128
// CHECK-NOT:     arith.select
// CHECK:         arith.ceildivsi %{{.*}}, %[[TM]]
// CHECK:         mmk.tile_count
mmk.kernel @rows_fit dims ["M", "K", "N"]
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
  mmk.choice "cores" = [20]
  mmk.choice "tile.M" = [128] {fit}
  mmk.choice "tile.N" = [128]
}
}
