// A tile of a row group is one operation, whose reductions stand before what needs them.
// RUN: mmk-opt %s --mmk-fuse-epilogue --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   --cpu-lower --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny" kind "host", coupled, cores = 4, vector_cores = 1, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [1048576, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>
#id3 = affine_map<(a, m, n) -> (a, m, n)>
#middle = affine_map<(a, m, n) -> (m)>
#one = affine_map<(m) -> (m)>

module attributes {aicore.machine = #machine} {

// Two reductions one after the other, and a result of whole rows; x is one input. A tile has fewer
// elements than one of sums alone, as each takes longer.
// CHECK-LABEL: aicore.kernel @softmax
// CHECK-DAG:  %[[LEAST:.*]] = arith.constant 2978 : index
// CHECK:      %[[ROW:.*]] = aicore.alloc "row" of "scratch" copies 1 : memref<1x135168xf32, #aicore.space<ub>>
// CHECK:      arith.ceildivsi %[[LEAST]], %{{.*}} : index
// CHECK:      cpu.rows size(%{{.*}}, %N) reduce [1] ins(%x[%[[M:.*]], %c0] along [0, 1] : {{.*}}) outs(%y[%[[M]], %c0] along [0, 1] : {{.*}}) scratch(%[[ROW]]) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT:   %[[MOST:.*]] = cpu.reduce max %[[E]] from 0xFF800000 : f32 -> f32
// CHECK-NEXT:   %[[D:.*]] = arith.subf %[[E]], %[[MOST]]
// CHECK-NEXT:   %[[EXP:.*]] = math.exp %[[D]]
// CHECK-NEXT:   %[[SUM:.*]] = cpu.reduce add %[[EXP]] from 0.000000e+00 : f32 -> f32
// CHECK-NEXT:   %[[Y:.*]] = arith.divf %[[EXP]], %[[SUM]]
// CHECK-NEXT:   cpu.yield %[[Y]] : f32
mmk.kernel @softmax dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%m) : tensor<?xf32>
  %whole = tensor.empty(%m, %n) : tensor<?x?xf32>
  %from = linalg.fill ins(%least : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %most = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%from : tensor<?xf32>) {
  ^bb0(%e: f32, %o: f32):
    %r = arith.maximumf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %exp = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %most : tensor<?x?xf32>, tensor<?xf32>) outs(%whole : tensor<?x?xf32>) {
  ^bb0(%e: f32, %h: f32, %o: f32):
    %d = arith.subf %e, %h : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["parallel", "reduction"]} ins(%exp : tensor<?x?xf32>) outs(%none : tensor<?xf32>) {
  ^bb0(%e: f32, %o: f32):
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%whole : tensor<?x?xf32>) {
  ^bb0(%e: f32, %s: f32, %o: f32):
    %r = arith.divf %e, %s : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "cores" = [4]
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
}

// The dimensions around the kept one are reduced together; the work before is in the region. Where
// there are fewer results than threads, parts are reduced first, then combined.
// CHECK-LABEL: aicore.kernel @middle
// CHECK:      %[[PARTS:.*]] = aicore.workspace "parts"
// CHECK:      scf.for %[[PART:.*]] = %{{.*}} to %[[COUNT:.*]] step %c4 {
// CHECK:      cpu.rows size(%[[L:.*]], %M, %{{.*}}) reduce [0, 2] ins(%x[%[[A:.*]], %c0, %[[N:.*]]] along [0, 1, 2] : {{.*}}) outs(%[[PARTS]][%[[PART]], %c0] along [-1, 1, -1] : {{.*}}) scratch(%{{.*}}) {
// CHECK:      %[[SPLIT:.*]] = arith.cmpi sgt, %[[COUNT]], %c0
// CHECK-NEXT: scf.if %[[SPLIT]] {
// CHECK-NEXT:   cpu.rows size(%[[COUNT]], %{{.*}}) reduce [0] ins(%[[PARTS]][%c0, %[[M:.*]]] along [0, 1], {{.*}}) outs(%y[%[[M]]] along [-1, 0] : {{.*}}) scratch(%{{.*}}) {
// CHECK-NEXT:   ^bb0(%[[P:.*]]: i32, %{{.*}}: i8):
// CHECK-NEXT:     %[[TOTAL:.*]] = cpu.reduce add %[[P]] from 0 : i32 -> i32
// CHECK-NEXT:     cpu.yield %[[TOTAL]] : i32
// CHECK:      } else {
// CHECK-NEXT:   cpu.rows size(%A, %{{.*}}, %N) reduce [0, 2] ins(%x[%c0, %[[M]], %c0] along [0, 1, 2] : {{.*}}) outs(%y[%[[M]]] along [-1, 0, -1] : {{.*}}) scratch(%{{.*}}) {
// CHECK-NEXT:   ^bb0(%[[E:.*]]: i8):
// CHECK-NEXT:     %[[W:.*]] = arith.extsi %[[E]]
// CHECK-NEXT:     %[[SUM:.*]] = cpu.reduce add %[[W]] from 0 : i32 -> i32
// CHECK-NEXT:     cpu.yield %[[SUM]] : i32
mmk.kernel @middle dims ["A", "M", "N"] args [#mmk.named<"x"["A", "M", "N"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?x?x?xi8>):
  %m = mmk.dim "M"
  %zero = arith.constant 0 : i32
  %empty = tensor.empty(%m) : tensor<?xi32>
  %none = linalg.fill ins(%zero : i32) outs(%empty : tensor<?xi32>) -> tensor<?xi32>
  %y = linalg.generic {indexing_maps = [#id3, #middle], iterator_types = ["reduction", "parallel", "reduction"]} ins(%x : tensor<?x?x?xi8>) outs(%none : tensor<?xi32>) {
  ^bb0(%e: i8, %o: i32):
    %w = arith.extsi %e : i8 to i32
    %r = arith.addi %o, %w : i32
    linalg.yield %r : i32
  } -> tensor<?xi32>
  mmk.return %y : tensor<?xi32>
} schedule {
  mmk.choice "cores" = [4]
  mmk.choice "tile.M" = [16]
}

// A position is the second result.
// CHECK-LABEL: aicore.kernel @first
// CHECK:      cpu.rows size(%M, %{{.*}}) reduce [0] ins(%x[%c0, %[[N:.*]]] along [0, 1] : {{.*}}) outs(%y[%[[N]]] along [-1, 0] : {{.*}}) scratch(%{{.*}}) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT:   %{{.*}}, %[[WHERE:.*]] = cpu.reduce argmax %[[E]] from 0xFF800000 : f32 -> f32, i32
// CHECK-NEXT:   cpu.yield %[[WHERE]] : i32
mmk.kernel @first dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %n = mmk.dim "N"
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %best = tensor.empty(%n) : tensor<?xf32>
  %where = tensor.empty(%n) : tensor<?xi32>
  %from = linalg.fill ins(%least : f32) outs(%best : tensor<?xf32>) -> tensor<?xf32>
  %at = linalg.fill ins(%zero : i32) outs(%where : tensor<?xi32>) -> tensor<?xi32>
  %most:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%from, %at : tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%e: f32, %o: f32, %p: i32):
    %beyond = arith.cmpf ugt, %e, %o : f32
    %number = arith.cmpf ord, %o, %o : f32
    %takes = arith.andi %beyond, %number : i1
    %i = linalg.index 0 : index
    %position = arith.index_cast %i : index to i32
    %r = arith.select %takes, %e, %o : f32
    %q = arith.select %takes, %position, %p : i32
    linalg.yield %r, %q : f32, i32
  } -> (tensor<?xf32>, tensor<?xi32>)
  mmk.return %most#1 : tensor<?xi32>
} schedule {
  mmk.choice "cores" = [4]
  mmk.choice "tile.N" = [16]
}


// A cumulative sum: parts of a few long rows are summed first, and each begins with the sum of those
// before it; else a tile has whole rows.
// CHECK-LABEL: aicore.kernel @cumulative
// CHECK:      %[[PARTS:.*]] = aicore.workspace "parts"
// CHECK:      %[[BEFORE:.*]] = aicore.workspace "before"
// CHECK:      aicore.phase
// CHECK:      cpu.rows size(%M, %[[LENGTH:.*]]) reduce [1] ins(%x[%c0, %{{.*}}] along [0, 1] : {{.*}}) outs(%[[PARTS]][%{{.*}}, %c0] along [1, -1] : {{.*}})
// CHECK:      aicore.phase
// CHECK:      cpu.rows size(%M, %[[PART:.*]]) reduce [1] ins(%[[PARTS]][%c0, %c0] along [1, 0] : {{.*}}) outs(%[[BEFORE]][%[[PART]], %c0] along [1, -1] : {{.*}})
// CHECK:      cpu.cumulate size(%M, %{{.*}}) sum 1 ins(%x[%c0, %[[AT:.*]]] along [0, 1], %[[BEFORE]][%[[PART]], %c0] along [1, -1] : {{.*}}) outs(%y[%c0, %[[AT]]] along [0, 1] : {{.*}})
// CHECK:      scf.if
// CHECK-NEXT:   cpu.cumulate size(%{{.*}}, %N) sum 1 ins(%x[%[[M:.*]], %c0] along [0, 1] : {{.*}}) outs(%y[%[[M]], %c0] along [0, 1] : {{.*}})
mmk.kernel @cumulative dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %y = mmk.cumulate %x along 1 : tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "cores" = [4]
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
}

// A reduction with a condition: its positions are computed in the region, and the condition selects
// the elements.
// CHECK-LABEL: aicore.kernel @guarded
// CHECK:      cpu.rows size(%{{.*}}, %N) reduce [1] ins(%x[%[[M:.*]], %c0] along [0, 1] : {{.*}}) outs(%y[%[[M]]] along [0, -1] : {{.*}})
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT:   %[[COLUMN:.*]] = cpu.position 1 from %c0
// CHECK-NEXT:   %[[ROW:.*]] = cpu.position 0 from %[[M]]
// CHECK-NEXT:   %[[IS:.*]] = arith.cmpi sle, %[[COLUMN]], %[[ROW]] : i32
// CHECK-NEXT:   %[[KEPT:.*]] = arith.select %[[IS]], %[[E]], %cst : f32
// CHECK-NEXT:   %[[SUM:.*]] = cpu.reduce add %[[KEPT]] from 0.000000e+00 : f32 -> f32
// CHECK-NEXT:   cpu.yield %[[SUM]] : f32
mmk.kernel @guarded dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %i = mmk.positions "M" : tensor<?xi32>
  %j = mmk.positions "N" : tensor<?xi32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%m) : tensor<?xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #column, #column], iterator_types = ["parallel", "reduction"]} ins(%x, %j, %i : tensor<?x?xf32>, tensor<?xi32>, tensor<?xi32>) outs(%none : tensor<?xf32>) {
  ^bb0(%e: f32, %column: i32, %row: i32, %o: f32):
    %is = arith.cmpi sle, %column, %row : i32
    %kept = arith.select %is, %e, %zero : f32
    %r = arith.addf %o, %kept : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
} schedule {
  mmk.choice "cores" = [1]
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
}
}
