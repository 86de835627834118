// Dimensions that follow each other in each tensor that has one of them are one; those of extent 1 go.
// RUN: mmk-opt %s --split-input-file --mmk-join-dimensions | FileCheck %s
// RUN: mmk-opt %s --split-input-file --mmk-set-choices="variant=tile.H=64" --mmk-join-dimensions | FileCheck %s --check-prefix=NAMED
// RUN: mmk-opt %s --split-input-file --mmk-set-choices="variant=extent.W=1" --mmk-join-dimensions | FileCheck %s --check-prefix=UNIT
// RUN: mmk-opt %s --split-input-file --mmk-set-choices="variant=extent.N=1" --mmk-join-dimensions | FileCheck %s --check-prefix=ONE

// Elementwise: a factor of each channel keeps N, C and the pixels.
// CHECK-LABEL: mmk.kernel @channels
// CHECK:         [[P:%.*]] = mmk.dim "H*W"
// CHECK-DAG:     [[X:%.*]] = tensor.collapse_shape %x {{\[\[}}0], [1], [2, 3]] {mmk.dims = ["N", "C", "H*W"]}
// CHECK-DAG:     [[G:%.*]] = tensor.collapse_shape %g {{\[\[}}0, 1, 2]] {mmk.dims = ["C"]}
// CHECK:         [[R:%.*]] = linalg.generic {{.*}} ["parallel", "parallel", "parallel"]} ins([[X]], [[G]] :
// CHECK:         [[Y:%.*]] = tensor.expand_shape [[R]] {{\[\[}}0], [1], [2, 3]]
// CHECK:         mmk.return [[Y]]
// H is named: it stays, and W with it.
// NAMED-LABEL: mmk.kernel @channels
// NAMED:         linalg.generic {{.*}} ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %{{.*}} :
// Without N.
// ONE-LABEL:   mmk.kernel @channels
// ONE:           mmk.dims = ["C", "H*W"]
// W is 1 in this variant.
// UNIT-LABEL:  mmk.kernel @channels
// UNIT-SAME:     <"x"["N", "C", "H", "1"]>
// UNIT:          tensor.collapse_shape %x {{\[\[}}0], [1], [2, 3]] {mmk.dims = ["N", "C", "H"]}
#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
mmk.kernel @channels dims ["N", "C", "H", "W"] args [#mmk.named<"x"["N", "C", "H", "W"]>, #mmk.named<"g"["C", "1", "1"]>]
    results [#mmk.named<"y"["N", "C", "H", "W"]>] {
^bb0(%x: tensor<?x?x?x?xf32>, %g: tensor<?x?x?xf32>):
  %n = mmk.dim "N"
  %c = mmk.dim "C"
  %h = mmk.dim "H"
  %w = mmk.dim "W"
  %row = tensor.extract_slice %g[0, 0, 0] [%c, 1, 1] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?xf32>
  %e = tensor.empty(%n, %c, %h, %w) : tensor<?x?x?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %row : tensor<?x?x?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
}

// -----

// A reduction over two dimensions goes over one; literal ones are a number.
// CHECK-LABEL: mmk.kernel @rows
// CHECK:         [[X:%.*]] = tensor.collapse_shape %x {{\[\[}}0, 1, 2], [3, 4]] {mmk.dims = ["32", "H*49"]}
// CHECK:         [[S:%.*]] = linalg.generic {{.*}} ["parallel", "reduction"]} ins([[X]] :
// CHECK:         tensor.expand_shape [[S]] {{\[\[}}0, 1, 2]]
#all = affine_map<(a, b, c, h, p) -> (a, b, c, h, p)>
#kept = affine_map<(a, b, c, h, p) -> (a, b, c)>
mmk.kernel @rows dims ["H"] args [#mmk.named<"x"["4", "8", "1", "H", "49"]>] results [#mmk.named<"y"["4", "8", "1"]>] {
^bb0(%x: tensor<?x?x?x?x?xf32>):
  %a = mmk.dim "4"
  %b = mmk.dim "8"
  %u = mmk.dim "1"
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%a, %b, %u) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x : tensor<?x?x?x?x?xf32>) outs(%f : tensor<?x?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  mmk.return %y : tensor<?x?x?xf32>
} schedule {
}

// -----

// Batches of a product are one, and rows that only one operand has.
// CHECK-LABEL: mmk.kernel @batches
// CHECK:         linalg.contract indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}] ins(%{{.*}}, %{{.*}} : tensor<?x?x?xf16>, tensor<?x?x?xf16>)
// CHECK:         tensor.expand_shape {{.*}} {{\[\[}}0, 1], [2], [3]]
#a = affine_map<(b, h, m, n, k) -> (b, h, m, k)>
#b = affine_map<(b, h, m, n, k) -> (b, h, k, n)>
#c = affine_map<(b, h, m, n, k) -> (b, h, m, n)>
mmk.kernel @batches dims ["B", "H", "M", "N", "K"] args [#mmk.named<"a"["B", "H", "M", "K"]>, #mmk.named<"b"["B", "H", "K", "N"]>]
    results [#mmk.named<"c"["B", "H", "M", "N"]>] {
^bb0(%a: tensor<?x?x?x?xf16>, %b: tensor<?x?x?x?xf16>):
  %d0 = mmk.dim "B"
  %d1 = mmk.dim "H"
  %d2 = mmk.dim "M"
  %d3 = mmk.dim "N"
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%d0, %d1, %d2, %d3) : tensor<?x?x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %c = linalg.contract indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) outs(%f : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  mmk.return %c : tensor<?x?x?x?xf32>
} schedule {
}

// -----

// Transposed, M and N are not one; nor with a position of N.
// CHECK-LABEL: mmk.kernel @apart
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         mmk.return
#mn = affine_map<(m, n) -> (m, n)>
#nm = affine_map<(m, n) -> (n, m)>
mmk.kernel @apart dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>, #mmk.named<"r"["N", "M"]>]
    results [#mmk.named<"y"["M", "N"]>, #mmk.named<"z"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>, %r: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#mn, #nm, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %i = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %at = linalg.index 1 : index
    %whole = arith.index_cast %at : index to i32
    %number = arith.sitofp %whole : i32 to f32
    %s = arith.addf %a, %number : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  mmk.return %y, %z : tensor<?x?xf32>, tensor<?x?xf32>
} schedule {
}
