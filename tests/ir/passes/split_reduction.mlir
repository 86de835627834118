// A split reduction: its splits in one fusion group, their sum in the next.
// RUN: mmk-opt %s --mmk-split-reduction | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// A split is a third of K in whole stages of 128, or when that is less than one, in whole tiles of
// 64. The last split is the remainder, and there is none after it. The epilogue follows the sum.
// CHECK-LABEL: mmk.kernel @parts
// CHECK:       ^bb0(%[[A:.*]]: tensor<?x?xf16>, %[[B:.*]]: tensor<?x?xf16>):
// CHECK:         %[[K:.*]] = mmk.dim "K"
// CHECK:         %[[THIRD:.*]] = arith.ceildivsi %[[K]], %c3
// CHECK:         %[[TILES:.*]] = arith.ceildivsi %[[THIRD]], %c64
// CHECK:         %[[IN_TILES:.*]] = arith.muli %[[TILES]], %c64
// CHECK:         %[[STAGES:.*]] = arith.ceildivsi %[[THIRD]], %c128
// CHECK:         %[[IN_STAGES:.*]] = arith.muli %[[STAGES]], %c128
// CHECK:         %[[SHORT:.*]] = arith.cmpi slt, %[[IN_TILES]], %c128
// CHECK:         %[[LENGTH:.*]] = arith.select %[[SHORT]], %[[IN_TILES]], %[[IN_STAGES]]
// CHECK:         %[[COUNT:.*]] = arith.ceildivsi %[[K]], %[[LENGTH]]
// CHECK:         %[[PARTS:.*]] = mmk.fusion_group {
// CHECK:           %[[EMPTY:.*]] = tensor.empty(%[[COUNT]], %[[M:.*]], %[[N:.*]]) : tensor<?x?x?xf32>
// CHECK:           %[[ALL:.*]] = scf.forall (%[[S:.*]]) in (%[[COUNT]]) shared_outs(%[[OUT:.*]] = %[[EMPTY]])
// CHECK:             %[[FIRST:.*]] = arith.muli %[[S]], %[[LENGTH]]
// CHECK:             %[[REST:.*]] = arith.subi %[[K]], %[[FIRST]]
// CHECK:             %[[LEFT:.*]] = arith.minsi %[[REST]], %[[LENGTH]]
// CHECK:             %[[OWN:.*]] = arith.maxsi %[[LEFT]], %c1
// CHECK:             %[[A_PART:.*]] = tensor.extract_slice %[[A]][0, %[[FIRST]]] [%{{.*}}, %[[OWN]]] [1, 1]
// CHECK:             %[[B_PART:.*]] = tensor.extract_slice %[[B]][%[[FIRST]], 0] [%[[OWN]], %{{.*}}] [1, 1]
// CHECK:             %[[ZERO:.*]] = linalg.fill
// CHECK:             %[[PART:.*]] = linalg.contract {{.*}} ins(%[[A_PART]], %[[B_PART]] : {{.*}}) outs(%[[ZERO]]
// CHECK:             scf.forall.in_parallel {
// CHECK-NEXT:          tensor.parallel_insert_slice %[[PART]] into %[[OUT]][%[[S]], 0, 0] [1, %[[M]], %[[N]]] [1, 1, 1]
// CHECK:           mmk.yield %[[ALL]] : tensor<?x?x?xf32>
// CHECK:         mmk.fusion_group {
// CHECK:           %[[FILL:.*]] = linalg.fill
// CHECK-NEXT:      %[[SUM:.*]] = linalg.reduce { arith.addf } ins(%[[PARTS]] : {{.*}}) outs(%[[FILL]] : {{.*}}) dimensions = [0] {mmk.name = "acc"}
// CHECK:           linalg.generic {{.*}} ins(%[[SUM]] :
mmk.kernel @parts dims ["M", "K", "N"]
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
        {mmk.name = "acc"}
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
  mmk.choice "grid.K" = [3]
  mmk.choice "tile.K" = [64]
  mmk.choice "stage.K" = [128]
}

// A batch whose right operand is one matrix for all, sliced before the product; whole numbers are
// added as such.
// CHECK-LABEL: mmk.kernel @batches
// CHECK:       ^bb0(%[[A:.*]]: tensor<?x?x?xi8>, %[[B:.*]]: tensor<1x?x?xi8>):
// CHECK:         mmk.fusion_group {
// CHECK:           %[[MATRIX:.*]] = tensor.extract_slice %[[B]][0, 0, 0]
// CHECK:           scf.forall
// CHECK:             tensor.extract_slice %[[A]][0, 0, %{{.*}}] [%{{.*}}, %{{.*}}, %[[OWN:.*]]] [1, 1, 1]
// CHECK:             tensor.extract_slice %[[MATRIX]][%{{.*}}, 0] [%[[OWN]], %{{.*}}] [1, 1]
// CHECK:             tensor.parallel_insert_slice {{.*}} : tensor<?x?x?xi32> into tensor<?x?x?x?xi32>
// CHECK:         linalg.reduce {{.*}} ins(%{{.*}} : tensor<?x?x?x?xi32>) {{.*}} dimensions = [0]
#ab = affine_map<(b, m, n, k) -> (b, m, k)>
#bb = affine_map<(b, m, n, k) -> (k, n)>
#cb = affine_map<(b, m, n, k) -> (b, m, n)>
mmk.kernel @batches dims ["B", "M", "K", "N"]
    args [#mmk.named<"a"["B", "M", "K"]>, #mmk.named<"b"["1", "K", "N"]>]
    results [#mmk.named<"c"["B", "M", "N"]>] {
^bb0(%a: tensor<?x?x?xi8>, %b: tensor<1x?x?xi8>):
  %zero = arith.constant 0 : i32
  %c = mmk.fusion_group {
  ^bb0(%block: index):
    %batches = mmk.dim "B"
    %m = mmk.dim "M"
    %n = mmk.dim "N"
    %k = mmk.dim "K"
    %matrix = tensor.extract_slice %b[0, 0, 0] [1, %k, %n] [1, 1, 1] : tensor<1x?x?xi8> to tensor<?x?xi8>
    %empty = tensor.empty(%batches, %m, %n) : tensor<?x?x?xi32>
    %fill = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?x?xi32>) -> tensor<?x?x?xi32>
    %acc = linalg.contract indexing_maps = [#ab, #bb, #cb]
        ins(%a, %matrix : tensor<?x?x?xi8>, tensor<?x?xi8>)
        outs(%fill : tensor<?x?x?xi32>) -> tensor<?x?x?xi32>
    mmk.yield %acc : tensor<?x?x?xi32>
  } -> tensor<?x?x?xi32>
  mmk.return %c : tensor<?x?x?xi32>
} schedule {
  mmk.choice "grid.K" = [2]
  mmk.choice "tile.K" = [64]
}

// A grid over the output only does not split the product.
// CHECK-LABEL: mmk.kernel @whole
// CHECK-NOT:   scf.forall
// CHECK:       linalg.contract
// CHECK-NOT:   linalg.reduce
mmk.kernel @whole dims ["M", "K", "N"]
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
  mmk.choice "grid.M" = [4]
  mmk.choice "grid.K" = [1]
}

// A product that starts from a row: only the first split has it, and the sum of the splits starts
// from zero.
// CHECK-LABEL: mmk.kernel @fromARow
// CHECK:           scf.forall (%[[S:.*]]) in
// CHECK:             %[[EMPTY:.*]] = tensor.empty
// CHECK:             %[[IS_FIRST:.*]] = arith.cmpi eq, %[[S]], %c0
// CHECK-NEXT:        %[[START:.*]] = scf.if %[[IS_FIRST]] -> (tensor<?x?xf32>) {
// CHECK-NEXT:          %[[ROW:.*]] = linalg.broadcast ins(%bias : tensor<?xf32>) outs(%[[EMPTY]] : {{.*}}) dimensions = [0]
// CHECK-NEXT:          scf.yield %[[ROW]]
// CHECK-NEXT:        } else {
// CHECK:               %[[ZERO:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]] :
// CHECK-NEXT:          scf.yield %[[ZERO]]
// CHECK:             linalg.contract {{.*}} outs(%[[START]] :
// CHECK:           %[[FILL:.*]] = linalg.fill
// CHECK-NEXT:      linalg.reduce { arith.addf } {{.*}} outs(%[[FILL]] :
mmk.kernel @fromARow dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %c = mmk.fusion_group {
  ^bb0(%block: index):
    %m = mmk.dim "M"
    %n = mmk.dim "N"
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %start = linalg.broadcast ins(%bias : tensor<?xf32>) outs(%empty : tensor<?x?xf32>) dimensions = [0]
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        {mmk.name = "acc"}
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%start : tensor<?x?xf32>) -> tensor<?x?xf32>
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
  mmk.choice "grid.K" = [3]
  mmk.choice "tile.K" = [64]
  mmk.choice "stage.K" = [128]
}
