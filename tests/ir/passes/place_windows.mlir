// `window = direct`: a product reads windows of an image in place of a matrix of them.
// RUN: mmk-opt %s --mmk-read-windows | FileCheck %s --check-prefix READ
// RUN: mmk-opt %s --mmk-read-windows --mmk-fuse-epilogue --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix TILED
// RUN: mmk-opt %s --mmk-read-windows --mmk-fuse-epilogue --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse | FileCheck %s
// RUN: mmk-opt %s --mmk-read-windows --mmk-fuse-epilogue --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse --aicore-double-buffer --canonicalize --cse \
// RUN:   --aicore-plan-memory --aicore-insert-sync --aicore-verify-sync \
// RUN:   | FileCheck %s --check-prefix SYNC

// The image lies with its channels last, and the weights with the depth outside: neither is copied.
// READ-NOT:   linalg.generic
// READ:       %[[W:.*]] = tensor.collapse_shape %w
// READ-NOT:   linalg.generic
// READ:       %[[WINDOWS:.*]] = mmk.window %x at
// READ-NEXT:  %[[A:.*]] = tensor.collapse_shape %[[WINDOWS]] {{\[}}[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]}
// READ-NEXT:  linalg.contract {{.*}} ins(%[[A]], %[[W]] :

// A tile has pixels of one image.
// TILED:      mmk.fusion_group tile [64, 32] steps [144, 48]
// TILED:      %[[OF_IMAGE:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// TILED-NEXT: %[[IMAGES:.*]] = arith.divsi %{{.*}}, %[[OF_IMAGE]]
// TILED-NEXT: %[[TILES:.*]] = arith.ceildivsi %[[OF_IMAGE]], %c64
// TILED-NEXT: %[[DOWN:.*]] = arith.muli %[[IMAGES]], %[[TILES]]
// TILED:      mmk.tile_count %block of %c1 x %[[DOWN]] x
// TILED:      %{{.*}}, %[[ROW:.*]], %{{.*}} = mmk.tile_coords
// TILED-NEXT: %[[IMAGE:.*]] = arith.divsi %[[ROW]], %[[TILES]]
// TILED-NEXT: %[[BEFORE:.*]] = arith.muli %[[IMAGE]], %[[OF_IMAGE]]
// TILED-NEXT: %[[IN_IMAGE:.*]] = arith.remsi %[[ROW]], %[[TILES]]
// TILED-NEXT: %[[START:.*]] = arith.muli %[[IN_IMAGE]], %c64
// TILED-NEXT: %[[REST:.*]] = arith.subi %[[OF_IMAGE]], %[[START]]
// TILED-NEXT: arith.addi %[[BEFORE]], %[[START]]
// TILED-NEXT: arith.minsi %[[REST]], %c64

// L1 holds lines of 32 channels, for two stages of 16 channels with all taps. The image has the room
// that the weights leave.
// CHECK:      %[[W:w_l1]] = aicore.alloc "w" of "l1" copies 1 : memref<144x32xf16
// CHECK:      %[[X:x_l1]] = aicore.alloc "x" of "l1" copies 1 : memref<8048x32xf16
// CHECK:      %[[PARTS:.*]] = arith.ceildivsi %C, %c32
// CHECK:      scf.for %[[PART:.*]] = %c0 to %[[PARTS]] step %c1
// CHECK-NEXT:   %[[CHANNEL:.*]] = arith.muli %[[PART]], %c32
// CHECK:        arith.maxsi %{{.*}}, %c0 : index
// CHECK:        %[[LINES:.*]] = arith.maxsi %{{.*}}, %c0 : index
// CHECK-NEXT:   %[[TOP:.*]] = arith.subi
// CHECK-NEXT:   %[[FIRST:.*]] = arith.remsi %{{.*}}, %Q
// CHECK:        aicore.load %x[%{{.*}}, %{{.*}}, %c0, %[[CHANNEL]]] along [1, 2, 3] size(%[[LINES]], %W, %{{.*}}) -> %[[X]]
// CHECK:        scf.for %[[STAGE:.*]] = %c0 to
// CHECK:          %[[NUMBER:.*]] = arith.divsi %[[STAGE]], %c144
// CHECK-NEXT:     %[[IN_PART:.*]] = arith.muli %[[NUMBER]], %c16
// CHECK-NEXT:     %[[OWN:.*]] = arith.addi %[[CHANNEL]], %[[IN_PART]]
// CHECK:          aicore.load %w[%c0, %c0, %[[OWN]], %{{.*}}] along [0, 1, 2, 3] clipped size(%R, %S, %c16, %{{.*}}) -> %[[W]]
// CHECK:          scf.for %[[BASE:.*]] = %c0 to
// CHECK:            aicore.load3d %[[X]][%{{.*}}] image(%[[LINES]], %W) taps(%R, %S) top(%[[TOP]]) by(%Q) first(%[[FIRST]]) depth(%{{.*}}) size(%{{.*}}, %{{.*}}) stride [1, 1] dilation [1, 1] left 1 block 16 -> %window_l0a
// CHECK:            aicore.load_l0 %[[W]][%{{.*}}] at(%[[BASE]], %c0)
// CHECK:            aicore.mmad
// CHECK:      images = [{channels = "C", columns = ["Q", "W", "S", array<i64: 1, 1, 1, 0>], depth = "RSC", lines = ["P", "H", "R", array<i64: 1, 1, 1, 0>], sizes = array<i64: 64, 8048, 144, 32, 16>}]

// The lines are free when the last stage of their channels is.
// SYNC:       aicore.wait_flag [mte1 -> mte2] 1 + %[[SLOT:.*]]
// SYNC-NEXT:  aicore.load %x[{{.*}} -> %x_l1[%[[SLOT]]]
// SYNC:       aicore.load3d %x_l1[%[[SLOT]]]
// SYNC:         aicore.set_flag [mte1 -> mte2] 0
// SYNC-NEXT:  }
// SYNC-NEXT:  aicore.set_flag [mte1 -> mte2] 1 + %[[SLOT]]

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3 - 1, d2 + d4 - 1, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  mmk.choice "window" = ["direct(32)"]
  mmk.choice "tile.NPQ" = [64]
  mmk.choice "tile.O" = [32]
  mmk.choice "tile.RSC" = [48]
  mmk.choice "stage.RSC" = [144]
  mmk.choice "cores" = [4]
}
}
