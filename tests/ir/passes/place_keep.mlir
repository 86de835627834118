// `keep`: the panel of one operand stays in L1 while a core computes a line of tiles.
// RUN: mmk-opt %s --mmk-tile-cores --canonicalize --cse | FileCheck %s --check-prefix TILED
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse | FileCheck %s
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse --aicore-double-buffer --canonicalize --cse \
// RUN:   --aicore-plan-memory --aicore-insert-sync --aicore-verify-sync \
// RUN:   | FileCheck %s --check-prefix SYNC

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

module attributes {aicore.machine = #machine} {

// Rows are mapped, each cut in two by the grid; each row starts at another of its tiles.
// TILED-LABEL: mmk.kernel @rows
// TILED:         mmk.fusion_group tile [64, 32]
// TILED:         %[[ROWS:.*]] = arith.ceildivsi %{{.*}}, %c64
// TILED-NEXT:    %[[COLUMNS:.*]] = arith.ceildivsi %{{.*}}, %c32
// TILED-NEXT:    %[[LENGTH:.*]] = arith.ceildivsi %[[COLUMNS]], %c2
// TILED-NEXT:    %[[IN_GRID:.*]] = arith.remsi %block, %c4
// TILED-NEXT:    %[[SEGMENT:.*]] = arith.remsi %[[IN_GRID]], %c2
// TILED-NEXT:    %[[FIRST:.*]] = arith.muli %[[SEGMENT]], %[[LENGTH]]
// TILED-NEXT:    %[[REST:.*]] = arith.subi %[[COLUMNS]], %[[FIRST]]
// TILED-NEXT:    %[[CUT:.*]] = arith.minsi %[[REST]], %[[LENGTH]]
// TILED-NEXT:    %[[OWN:.*]] = arith.maxsi %[[CUT]], %c0
// TILED-NEXT:    %[[SHARE:.*]] = mmk.tile_count %block of %c1 x %[[ROWS]] x %c2 by <rows, width = 1, cores = 4, grid = 2 x 2>
// TILED:         scf.for %[[P:.*]] = %c0 to %[[SHARE]]
// TILED-NEXT:      %{{.*}}, %[[ROW:.*]], %{{.*}} = mmk.tile_coords %[[P]] on %block of %c1 x %[[ROWS]] x %c2
// TILED:           scf.for %[[J:.*]] = %c0 to %[[OWN]]
// TILED-NEXT:        %[[TURNED:.*]] = arith.addi %[[J]], %[[ROW]]
// TILED-NEXT:        %[[IN:.*]] = arith.remsi %[[TURNED]], %[[OWN]]
// TILED-NEXT:        %[[COLUMN:.*]] = arith.addi %[[FIRST]], %[[IN]]
// TILED-NEXT:        arith.muli %[[COLUMN]], %c32
// TILED:           }
// TILED:         }

// The panel is loaded in one transfer of the depth K, which limits the variant. Stages of the other
// operand are loaded as without `keep`, and A is read from the start of the stage in the panel.
// CHECK-LABEL: aicore.kernel @rows
// CHECK-SAME:    limits {K = 128 : i64}
// CHECK:         %[[PANEL:a_l1]] = aicore.alloc "a" of "panel" copies 1 : memref<64x128xf16, #aicore.space<l1>>
// CHECK:         %[[B:b_l1]] = aicore.alloc "b" of "l1" copies 1 : memref<48x32xf16, #aicore.space<l1>>
// CHECK:         scf.for %[[P:.*]] = %c0 to
// CHECK:           %[[SLOT:.*]] = aicore.slot %[[P]] of %[[PANEL]]
// CHECK-NEXT:      aicore.load %a[%[[I0:.*]], %c0] along [0, 1] size(%[[TM:.*]], %K) -> %[[PANEL]][%[[SLOT]]] pad 16
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0 to
// CHECK:             aicore.slot %[[J]] of %acc_l0c
// CHECK:             scf.for %[[KS:.*]] = %c0 to %K step %c48
// CHECK-NOT:           aicore.load %a
// CHECK:               aicore.load %b[%[[KS]], %{{.*}}] {{.*}} -> %[[B]]
// CHECK:               scf.for %[[KB:.*]] = %c0 to
// CHECK:                 %[[IN_PANEL:.*]] = arith.addi %[[KB]], %[[KS]]
// CHECK:                 aicore.load_l0 %[[PANEL]][%[[SLOT]]] at(%c0, %[[IN_PANEL]]) size(%[[TM]], %{{.*}})
// CHECK:                 aicore.load_l0 %[[B]][%{{.*}}] at(%[[KB]], %c0)

// The panel is free when its last tile is done with it.
// SYNC-LABEL: aicore.kernel @rows
// SYNC:         scf.for
// SYNC:           aicore.wait_flag [mte1 -> mte2] [[EVENT:[0-9]+]] +
// SYNC-NEXT:      aicore.load %a
// SYNC-NOT:       aicore.set_flag [mte1 -> mte2] [[EVENT]] +
// SYNC:           scf.for
// SYNC:             aicore.fixpipe
// SYNC:           }
// SYNC-NEXT:      aicore.set_flag [mte1 -> mte2] [[EVENT]] +
mmk.kernel @rows dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.yield %acc : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "keep" = ["A(128)"]
  mmk.choice "grid.M" = [2]
  mmk.choice "grid.N" = [2]
  mmk.choice "cores" = [4]
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
}

// Columns of B; the next panel is loaded ahead, and the flags are proven as well.
// CHECK-LABEL: aicore.kernel @columns
// CHECK:         aicore.alloc "a" of "l1" copies 1 : memref<64x48xf16, #aicore.space<l1>>
// CHECK:         %[[PANEL:b_l1]] = aicore.alloc "b" of "panel" copies 1 : memref<128x32xf16, #aicore.space<l1>>
// CHECK:         aicore.load %b[%c0, %{{.*}}] along [0, 1] size(%K, %{{.*}}) -> %[[PANEL]]
// CHECK:           scf.for
// CHECK:             aicore.load %a
// CHECK-NOT:         aicore.load %b
// CHECK:               aicore.load_l0 %[[PANEL]][%{{.*}}] at(%{{[0-9]+}}, %c0)

// SYNC-LABEL: aicore.kernel @columns
// SYNC:         aicore.alloc "b" of "panel" copies 2
// SYNC:         scf.if
// SYNC:           aicore.load %b
// SYNC:         scf.for %[[P:.*]] = %c0 to %[[SHARE:.*]] step
// SYNC:           %[[NEXT:.*]] = arith.addi %[[P]], %c1
// SYNC-NEXT:      %[[EXISTS:.*]] = arith.cmpi slt, %[[NEXT]], %[[SHARE]]
// SYNC-NEXT:      scf.if %[[EXISTS]]
// SYNC:             aicore.load %b
mmk.kernel @columns dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.yield %acc : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "keep" = ["B(128)"]
  mmk.choice "order" = ["columns"]
  mmk.choice "buffers.panel" = [2]
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
}
}
