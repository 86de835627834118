// Reductions over a few taps of a window: the window is read once for each tap. With `fuse = windows`
// a pooling of a product is a combination of products.
// RUN: mmk-opt %s --split-input-file --mmk-unroll-windows | FileCheck %s
// RUN: mmk-opt %s --split-input-file --mmk-set-choices="variant=tile.O=64,fuse=windows" --mmk-unroll-windows --verify-diagnostics | FileCheck %s --check-prefix=POOLED

// expected-no-diagnostics
// The window is read once for each tap.
// CHECK-LABEL: mmk.kernel @pool
// CHECK-COUNT-1: linalg.contract
// CHECK:         [[Z:%.*]] = linalg.generic
// CHECK:         [[A:%.*]] = mmk.window [[Z]] at #{{.*}} ["B", "P", "O"]
// CHECK:         [[B:%.*]] = mmk.window [[Z]] at #{{.*}} ["B", "P", "O"]
// CHECK:         linalg.generic {{.*}} ins([[A]], [[B]] :
// CHECK-NOT:     "reduction"
// The rows of the product are two dimensions, and those of the products of its taps are so, too. The columns are
// as they are: bias and weights are read in place.
// POOLED-LABEL: mmk.kernel @pool
// POOLED:         [[X:%.*]] = mmk.window %x at #{{.*}} ["B", "P", "C"]
// POOLED:         tensor.collapse_shape {{.*}} {{\[\[}}0, 1], [2]] {mmk.dims = ["B*P", "C"]}
// POOLED:         [[A:%.*]] = linalg.contract {{.*}} ins({{.*}}, %w :
// POOLED:         [[C:%.*]] = tensor.expand_shape [[A]] {{\[\[}}0, 1], [2]]
// POOLED:         [[F:%.*]] = linalg.generic {{.*}} ins([[C]], %bias :
// POOLED:         [[B:%.*]] = linalg.contract {{.*}} ins({{.*}}, %w :
// POOLED:         [[D:%.*]] = tensor.expand_shape [[B]] {{\[\[}}0, 1], [2]]
// POOLED:         [[S:%.*]] = linalg.generic {{.*}} ins([[D]], %bias :
// POOLED:         [[M:%.*]] = linalg.generic {{.*}} ins([[F]], [[S]] :
// POOLED:           arith.maximumf
// POOLED:         mmk.return [[M]]
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#row = affine_map<(b, p, o) -> (o)>
#all = affine_map<(b, p, o, i) -> (b, p, o, i)>
#kept = affine_map<(b, p, o, i) -> (b, p, o)>
#same = affine_map<(b, p, o) -> (b, p, o)>
mmk.kernel @pool dims ["B", "H", "C", "O", "P", "BH"] args [#mmk.named<"x"["B", "H", "C"]>, #mmk.named<"w"["C", "O"]>, #mmk.named<"bias"["O"]>]
    results [#mmk.named<"y"["B", "P", "O"]>] {
^bb0(%x: tensor<?x?x?xf16>, %w: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %b = mmk.dim "B"
  %h = mmk.dim "H"
  %o = mmk.dim "O"
  %p = mmk.dim "P"
  %bh = mmk.dim "BH"
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %a = tensor.collapse_shape %x [[0, 1], [2]] {mmk.dims = ["BH", "C"]} : tensor<?x?x?xf16> into tensor<?x?xf16>
  %e = tensor.empty(%bh, %o) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.contract indexing_maps = [#rows, #columns, #out] ins(%a, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %split = tensor.expand_shape %c [[0, 1], [2]] output_shape [%b, %h, %o] : tensor<?x?xf32> into tensor<?x?x?xf32>
  %d = tensor.empty(%b, %h, %o) : tensor<?x?x?xf32>
  %z = linalg.generic {indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel", "parallel"]} ins(%split, %bias : tensor<?x?x?xf32>, tensor<?xf32>) outs(%d : tensor<?x?x?xf32>) {
  ^bb0(%in: f32, %add: f32, %out: f32):
    %s = arith.addf %in, %add : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  %win = mmk.window %z at affine_map<(b, p, o, i) -> (b, p * 2 + i, o)> ["B", "P", "O", "2"] : tensor<?x?x?xf32> -> tensor<?x?x?x?xf32>
  %r = tensor.empty(%b, %p, %o) : tensor<?x?x?xf32>
  %g = linalg.fill ins(%least : f32) outs(%r : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %m = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%win : tensor<?x?x?x?xf32>) outs(%g : tensor<?x?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.maximumf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  mmk.return %m : tensor<?x?x?xf32>
} schedule {
}
