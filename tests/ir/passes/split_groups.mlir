// Heads that multiply the same matrices in groups are rows of one product.
// RUN: mmk-opt %s --split-input-file --mmk-join-dimensions | FileCheck %s
// RUN: mmk-opt %s --split-input-file --mmk-set-choices="variant=tile.M=64" --mmk-join-dimensions | FileCheck %s --check-prefix=NAMED
// RUN: mmk-opt %s --split-input-file --mmk-set-choices="variant=extent.M=1" --mmk-join-dimensions | FileCheck %s --check-prefix=UNIT

// CHECK:       #[[$A:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK:       #[[$B:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK:       #[[$C:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: mmk.kernel @heads
// CHECK:         [[Q:%.*]] = tensor.expand_shape %q {{\[\[}}0, 1], [2], [3]]
// CHECK:         [[R:%.*]] = tensor.collapse_shape [[Q]] {{\[\[}}0], [1, 2], [3]] {mmk.dims = ["G", "M*4", "D"]}
// CHECK:         [[S:%.*]] = linalg.contract indexing_maps = [#[[$A]], #[[$B]], #[[$C]]] ins([[R]], %k :
// CHECK:         [[E:%.*]] = tensor.expand_shape [[S]] {{\[\[}}0], [1, 2], [3]]
// CHECK:         [[Y:%.*]] = tensor.collapse_shape [[E]] {{\[\[}}0, 1], [2], [3]] {mmk.dims = ["H", "M", "N"]}
// CHECK:         mmk.return [[Y]]
// M is named, and stays: the heads do.
// NAMED-LABEL: mmk.kernel @heads
// NAMED-NOT:     tensor.expand_shape
// NAMED:         linalg.contract {{.*}} ins(%q, %{{.*}} :
// One row of each head: those of the positions of a group are all.
// UNIT-LABEL:  mmk.kernel @heads
// UNIT:          mmk.dims = ["G", "4", "D"]
#in_groups = affine_map<(h, j, d) -> (h floordiv 4, j, d)>
#a = affine_map<(h, i, j, d) -> (h, i, d)>
#b = affine_map<(h, i, j, d) -> (h, j, d)>
#c = affine_map<(h, i, j, d) -> (h, i, j)>
mmk.kernel @heads dims ["H", "M", "D", "G", "N"] args [#mmk.named<"q"["H", "M", "D"]>, #mmk.named<"k"["G", "N", "D"]>]
    results [#mmk.named<"y"["H", "M", "N"]>] {
^bb0(%q: tensor<?x?x?xf16>, %k: tensor<?x?x?xf16>):
  %h = mmk.dim "H"
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %w = mmk.window %k at #in_groups ["H", "N", "D"] grouped : tensor<?x?x?xf16> -> tensor<?x?x?xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%h, %m, %n) : tensor<?x?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y = linalg.contract indexing_maps = [#a, #b, #c] ins(%q, %w : tensor<?x?x?xf16>, tensor<?x?x?xf16>)
      outs(%start : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  mmk.return %y : tensor<?x?x?xf32>
}

// -----

// A position of the head is read: they stay apart.
// CHECK-LABEL: mmk.kernel @slopes
// CHECK-NOT:     tensor.expand_shape
// CHECK:         mmk.return
#in_groups = affine_map<(h, j, d) -> (h floordiv 4, j, d)>
#a = affine_map<(h, i, j, d) -> (h, i, d)>
#b = affine_map<(h, i, j, d) -> (h, j, d)>
#c = affine_map<(h, i, j, d) -> (h, i, j)>
#id = affine_map<(h, i, j) -> (h, i, j)>
mmk.kernel @slopes dims ["H", "M", "D", "G", "N"] args [#mmk.named<"q"["H", "M", "D"]>, #mmk.named<"k"["G", "N", "D"]>]
    results [#mmk.named<"y"["H", "M", "N"]>] {
^bb0(%q: tensor<?x?x?xf16>, %k: tensor<?x?x?xf16>):
  %h = mmk.dim "H"
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %w = mmk.window %k at #in_groups ["H", "N", "D"] grouped : tensor<?x?x?xf16> -> tensor<?x?x?xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%h, %m, %n) : tensor<?x?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.contract indexing_maps = [#a, #b, #c] ins(%q, %w : tensor<?x?x?xf16>, tensor<?x?x?xf16>)
      outs(%start : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %e2 = tensor.empty(%h, %m, %n) : tensor<?x?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x?x?xf32>) outs(%e2 : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %head = linalg.index 0 : index
    %i = arith.index_cast %head : index to i32
    %f = arith.sitofp %i : i32 to f32
    %p = arith.mulf %x, %f : f32
    linalg.yield %p : f32
  } -> tensor<?x?x?xf32>
  mmk.return %y : tensor<?x?x?xf32>
}
