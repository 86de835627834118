// A tile that is left to the shape: the chosen number is the largest that it may be, and how large it
// is follows from the extents when the kernel runs.
// RUN: mmk-opt %s --mmk-tile-cores --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 20, vector_cores = 2, memories = {}, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {

// Tiles of 128 x 128 need so many rounds over 20 cores; these have room for as many rows of tiles,
// and a row of tiles is as high as that makes it, in whole fractals.
// CHECK-LABEL: mmk.kernel @fits
// CHECK:         %[[M:.*]] = mmk.dim "M"
// CHECK:         %[[N:.*]] = mmk.dim "N"
// CHECK:         %[[DOWN:.*]] = arith.ceildivsi %[[M]], %c128
// CHECK:         %[[ACROSS:.*]] = arith.ceildivsi %[[N]], %c128
// CHECK:         %[[TILES:.*]] = arith.muli %[[ACROSS]], %[[DOWN]]
// CHECK:         %[[ROUNDS:.*]] = arith.ceildivsi %[[TILES]], %c20
// CHECK:         %[[ROOM:.*]] = arith.muli %[[ROUNDS]], %c20
// CHECK:         %[[ROWS:.*]] = arith.divsi %[[ROOM]], %[[ACROSS]]
// CHECK:         %[[SHARE:.*]] = arith.ceildivsi %[[M]], %[[ROWS]]
// CHECK:         %[[FRACTALS:.*]] = arith.ceildivsi %[[SHARE]], %c16
// CHECK:         %[[HEIGHT:.*]] = arith.muli %[[FRACTALS]], %c16
// A round reads the rows of A and the columns of B of a tile.
// CHECK:         %[[WIDTH:.*]] = arith.minsi %[[N]], %c128
// CHECK:         %[[READ:.*]] = arith.maxsi %[[WIDTH]], %c128
// CHECK:         %[[BOTH:.*]] = arith.addi %[[HEIGHT]], %[[READ]]
// CHECK:         %[[TIME:.*]] = arith.muli %[[ROUNDS]], %[[BOTH]]
// Half as wide tiles are taken when they read no more.
// CHECK:         %[[BETTER:.*]] = arith.cmpi sle, %{{.*}}, %[[TIME]]
// CHECK:         %[[TM:.*]] = arith.select %[[BETTER]], %{{.*}}, %[[HEIGHT]]
// CHECK:         %[[TN:.*]] = arith.select %[[BETTER]], %c64, %c128
// CHECK:         %[[R:.*]] = arith.ceildivsi %[[M]], %[[TM]]
// CHECK:         %[[C:.*]] = arith.ceildivsi %[[N]], %[[TN]]
// CHECK:         mmk.share %block of %c1 x %[[R]] x %[[C]]
// CHECK:           %{{.*}}, %[[ROW:.*]], %[[COLUMN:.*]] = mmk.walk
// CHECK:           %[[I:.*]] = arith.muli %[[ROW]], %[[TM]]
// CHECK:           %[[REST:.*]] = arith.subi %[[M]], %[[I]]
// CHECK:           arith.minsi %[[REST]], %[[TM]]
// CHECK:         mmk.tile = array<i64: 128, 128>
mmk.kernel @fits dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %c = mmk.nest {
  ^bb0(%block: index):
    %m = mmk.dim "M"
    %n = mmk.dim "N"
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.dims = ["M", "N", "K"]}
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.yield %acc : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %c : tensor<?x?xf32>
} schedule {
  mmk.choice "cores" = [20]
  mmk.choice "tile.M" = [128] {fit}
  mmk.choice "tile.N" = [128] {fit}
}

// With the columns given, only the height fits; there is nothing to compare.
// CHECK-LABEL: mmk.kernel @rows_fit
// CHECK-NOT:     arith.select
// CHECK:         arith.ceildivsi %{{.*}}, %c128
// CHECK:         mmk.share
mmk.kernel @rows_fit dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %c = mmk.nest {
  ^bb0(%block: index):
    %m = mmk.dim "M"
    %n = mmk.dim "N"
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.dims = ["M", "N", "K"]}
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
