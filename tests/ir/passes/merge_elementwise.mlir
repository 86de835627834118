// Elementwise work on a product whose rows were split goes along the rows as one.
// RUN: mmk-opt %s --mmk-join-dimensions | FileCheck %s

// What is read with the product is merged in memory, or read as it is; the result is split.
// CHECK-LABEL: mmk.kernel @merged
// CHECK:         [[C:%.*]] = linalg.contract
// CHECK:         [[S:%.*]] = tensor.collapse_shape %skip {{\[\[}}0, 1], [2]] {mmk.dims = ["BH", "O"]}
// CHECK:         [[Z:%.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins([[C]], %bias, [[S]] :
// CHECK:         [[Y:%.*]] = tensor.expand_shape [[Z]] {{\[\[}}0, 1], [2]]
// CHECK:         mmk.return [[Y]]

// A tensor along one of the rows' dimensions keeps them apart.
// CHECK-LABEL: mmk.kernel @apart
// CHECK:         [[C:%.*]] = linalg.contract
// CHECK:         [[E:%.*]] = tensor.expand_shape [[C]] {{\[\[}}0, 1], [2]]
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]} ins([[E]], %scale :
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#same = affine_map<(b, h, o) -> (b, h, o)>
#column = affine_map<(b, h, o) -> (o)>
#line = affine_map<(b, h, o) -> (h)>
mmk.kernel @merged dims ["B", "H", "C", "O", "BH"] args [#mmk.named<"x"["BH", "C"]>, #mmk.named<"w"["C", "O"]>, #mmk.named<"bias"["O"]>, #mmk.named<"skip"["B", "H", "O"]>]
    results [#mmk.named<"y"["B", "H", "O"]>] {
^bb0(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %bias: tensor<?xf32>, %skip: tensor<?x?x?xf32>):
  %b = mmk.dim "B"
  %h = mmk.dim "H"
  %o = mmk.dim "O"
  %bh = mmk.dim "BH"
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%bh, %o) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.contract indexing_maps = [#rows, #columns, #out] ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %split = tensor.expand_shape %c [[0, 1], [2]] output_shape [%b, %h, %o] : tensor<?x?xf32> into tensor<?x?x?xf32>
  %d = tensor.empty(%b, %h, %o) : tensor<?x?x?xf32>
  %y = linalg.generic {indexing_maps = [#same, #column, #same, #same], iterator_types = ["parallel", "parallel", "parallel"]} ins(%split, %bias, %skip : tensor<?x?x?xf32>, tensor<?xf32>, tensor<?x?x?xf32>) outs(%d : tensor<?x?x?xf32>) {
  ^bb0(%in: f32, %add: f32, %more: f32, %out: f32):
    %s = arith.addf %in, %add : f32
    %t = arith.addf %s, %more : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?xf32>
  mmk.return %y : tensor<?x?x?xf32>
} schedule {
}

mmk.kernel @apart dims ["B", "H", "C", "O", "BH"] args [#mmk.named<"x"["BH", "C"]>, #mmk.named<"w"["C", "O"]>, #mmk.named<"scale"["H"]>]
    results [#mmk.named<"y"["B", "H", "O"]>] {
^bb0(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %scale: tensor<?xf32>):
  %b = mmk.dim "B"
  %h = mmk.dim "H"
  %o = mmk.dim "O"
  %bh = mmk.dim "BH"
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%bh, %o) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.contract indexing_maps = [#rows, #columns, #out] ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %split = tensor.expand_shape %c [[0, 1], [2]] output_shape [%b, %h, %o] : tensor<?x?xf32> into tensor<?x?x?xf32>
  %d = tensor.empty(%b, %h, %o) : tensor<?x?x?xf32>
  %y = linalg.generic {indexing_maps = [#same, #line, #same], iterator_types = ["parallel", "parallel", "parallel"]} ins(%split, %scale : tensor<?x?x?xf32>, tensor<?xf32>) outs(%d : tensor<?x?x?xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %s = arith.mulf %in, %by : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  mmk.return %y : tensor<?x?x?xf32>
} schedule {
}
