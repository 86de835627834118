// The operations of each fusion group.
// RUN: mmk-opt %s --mmk-fuse-epilogue | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

// Bias and relu after a product: one fusion group, and one generic that reads the product and the
// row.
// CHECK-LABEL: mmk.kernel @fused
// CHECK:       ^bb0(%[[A:.*]]: tensor<?x?xf16>, %[[B:.*]]: tensor<?x?xf16>, %[[BIAS:.*]]: tensor<?xf32>):
// CHECK:       %[[NEST:.*]] = mmk.fusion_group {
// CHECK-NEXT:  ^bb0(%block: index):
// CHECK:         %[[FILL:.*]] = linalg.fill
// CHECK:         %[[ACC:.*]] = linalg.contract {{.*}} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[FILL]]
// CHECK:         %[[Y:.*]] = linalg.generic {indexing_maps = [#[[ID:.*]], #[[ROW:.*]], #[[ID]]], {{.*}} ins(%[[ACC]], %[[BIAS]] :
// CHECK-NEXT:    ^bb0(%[[E:.*]]: f32, %[[F:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[E]], %[[F]]
// CHECK:           %[[RELU:.*]] = arith.maximumf %[[SUM]],
// CHECK-NEXT:      linalg.yield %[[RELU]]
// CHECK:         mmk.yield %[[Y]]
// CHECK-NEXT:  } -> tensor<?x?xf32>
// CHECK-NEXT:  mmk.return %[[NEST]]
mmk.kernel @fused dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %acc_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %acc_fill = linalg.fill ins(%zero : f32) outs(%acc_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%acc_fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%sum_empty : tensor<?x?xf32>)
      {
  ^bb0(%e0: f32, %e1: f32, %out: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %y_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<?x?xf32>) outs(%y_empty : tensor<?x?xf32>)
      {
  ^bb0(%e0: f32, %out: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.maximumf %e0, %z : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}

// The same with `fuse = none`: the product goes through memory, and the elementwise part is a
// fusion group of its own.
// CHECK-LABEL: mmk.kernel @separate
// CHECK:       %[[PRODUCT:.*]] = mmk.fusion_group {
// CHECK:         %[[ACC:.*]] = linalg.contract
// CHECK-NOT:     linalg.generic
// CHECK:         mmk.yield %[[ACC]]
// CHECK:       %[[EPILOGUE:.*]] = mmk.fusion_group {
// CHECK-NOT:     linalg.contract
// CHECK:         %[[Y:.*]] = linalg.generic {{.*}} ins(%[[PRODUCT]], %{{.*}} :
// CHECK:           arith.addf
// CHECK:           arith.maximumf
// CHECK:         mmk.yield %[[Y]]
// CHECK:       mmk.return %[[EPILOGUE]]
mmk.kernel @separate dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %acc_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %acc_fill = linalg.fill ins(%zero : f32) outs(%acc_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%acc_fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%sum_empty : tensor<?x?xf32>)
      {
  ^bb0(%e0: f32, %e1: f32, %out: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %y_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<?x?xf32>) outs(%y_empty : tensor<?x?xf32>)
      {
  ^bb0(%e0: f32, %out: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.maximumf %e0, %z : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "fuse" = ["none"]
}

// Narrowing the product is no epilogue: the fixpipe does it on the way, so it stays with the product
// even when the epilogue is separate.
// CHECK-LABEL: mmk.kernel @narrowed
// CHECK:       mmk.fusion_group {
// CHECK:         %[[ACC:.*]] = linalg.contract
// CHECK:         linalg.generic {{.*}} ins(%[[ACC]]
// CHECK:           arith.truncf
// CHECK-NOT:   mmk.fusion_group
// CHECK:       mmk.return
mmk.kernel @narrowed dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %acc_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %acc_fill = linalg.fill ins(%zero : f32) outs(%acc_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%acc_fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y_empty = tensor.empty(%m, %n) : tensor<?x?xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<?x?xf32>) outs(%y_empty : tensor<?x?xf16>)
      {
  ^bb0(%e0: f32, %out: f16):
    %r = arith.truncf %e0 : f32 to f16
    linalg.yield %r : f16
  } -> tensor<?x?xf16>
  mmk.return %y : tensor<?x?xf16>
} schedule {
  mmk.choice "fuse" = ["none"]
}

// A relu before the narrowing is an epilogue: the pass of its own narrows as well.
// CHECK-LABEL: mmk.kernel @relu_narrowed
// CHECK:       %[[PRODUCT:.*]] = mmk.fusion_group {
// CHECK:         %[[ACC:.*]] = linalg.contract
// CHECK-NOT:     linalg.generic
// CHECK:         mmk.yield %[[ACC]]
// CHECK:       mmk.fusion_group {
// CHECK:         linalg.generic {{.*}} ins(%[[PRODUCT]]
// CHECK:           arith.maximumf
// CHECK:           arith.truncf
// CHECK:       mmk.return
mmk.kernel @relu_narrowed dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %acc_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %acc_fill = linalg.fill ins(%zero : f32) outs(%acc_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%acc_fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %x_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<?x?xf32>) outs(%x_empty : tensor<?x?xf32>) {
  ^bb0(%e0: f32, %out: f32):
    %r = arith.maximumf %e0, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %y_empty = tensor.empty(%m, %n) : tensor<?x?xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%y_empty : tensor<?x?xf16>) {
  ^bb0(%e0: f32, %out: f16):
    %r = arith.truncf %e0 : f32 to f16
    linalg.yield %r : f16
  } -> tensor<?x?xf16>
  mmk.return %y : tensor<?x?xf16>
} schedule {
  mmk.choice "fuse" = ["none"]
}

// The product itself is a result too: the fusion group yields both, in the order in which they are computed.
// CHECK-LABEL: mmk.kernel @results
// CHECK:       %[[NEST:.*]]:2 = mmk.fusion_group {
// CHECK:         %[[ACC:.*]] = linalg.contract
// CHECK:         %[[Y:.*]] = linalg.generic {{.*}} ins(%[[ACC]]
// CHECK:         mmk.yield %[[ACC]], %[[Y]]
// CHECK-NEXT:  } -> tensor<?x?xf32>, tensor<?x?xf32>
// CHECK:       mmk.return %[[NEST]]#1, %[[NEST]]#0
mmk.kernel @results dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>, #mmk.named<"d"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %acc_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %acc_fill = linalg.fill ins(%zero : f32) outs(%acc_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%acc_fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<?x?xf32>) outs(%y_empty : tensor<?x?xf32>)
      {
  ^bb0(%e0: f32, %out: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.maximumf %e0, %z : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y, %acc : tensor<?x?xf32>, tensor<?x?xf32>
}

// Two results of one sum: one generic with two outputs, in which the sum is computed once.
// CHECK-LABEL: mmk.kernel @shared
// CHECK:       %[[NEST:.*]]:2 = mmk.fusion_group {
// CHECK:         %[[BOTH:.*]]:2 = linalg.generic
// CHECK:           %[[SUM:.*]] = arith.addf
// CHECK-NOT:       arith.addf
// CHECK:           %[[RELU:.*]] = arith.maximumf %[[SUM]],
// CHECK:           %[[NEG:.*]] = arith.negf %[[SUM]]
// CHECK-NEXT:      linalg.yield %[[RELU]], %[[NEG]]
// CHECK:         mmk.yield %[[BOTH]]#0, %[[BOTH]]#1
// CHECK:       mmk.return %[[NEST]]#0, %[[NEST]]#1
mmk.kernel @shared dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>]
    results [#mmk.named<"c"["M", "N"]>, #mmk.named<"d"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %acc_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %acc_fill = linalg.fill ins(%zero : f32) outs(%acc_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%acc_fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%s_empty : tensor<?x?xf32>)
      {
  ^bb0(%e0: f32, %e1: f32, %out: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %y_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<?x?xf32>) outs(%y_empty : tensor<?x?xf32>)
      {
  ^bb0(%e0: f32, %out: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.maximumf %e0, %z : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %z_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<?x?xf32>) outs(%z_empty : tensor<?x?xf32>)
      {
  ^bb0(%e0: f32, %out: f32):
    %r = arith.negf %e0 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y, %z : tensor<?x?xf32>, tensor<?x?xf32>
}

// The second product needs all of the first: two fusion groups, and the narrowed product between them.
// CHECK-LABEL: mmk.kernel @chained
// CHECK:       %[[FIRST:.*]] = mmk.fusion_group {
// CHECK:         linalg.contract
// CHECK:         arith.truncf
// CHECK:       } -> tensor<?x?xf16>
// CHECK:       %[[SECOND:.*]] = mmk.fusion_group {
// CHECK:         linalg.contract {{.*}} ins(%[[FIRST]], %{{.*}} :
// CHECK:       } -> tensor<?x?xf32>
// CHECK:       mmk.return %[[SECOND]]
mmk.kernel @chained dims ["M", "K", "H", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "H"]>, #mmk.named<"d"["H", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %h = mmk.dim "H"
  %ab_empty = tensor.empty(%m, %h) : tensor<?x?xf32>
  %ab_fill = linalg.fill ins(%zero : f32) outs(%ab_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %ab = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%ab_fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %half_empty = tensor.empty(%m, %h) : tensor<?x?xf16>
  %half = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ab : tensor<?x?xf32>) outs(%half_empty : tensor<?x?xf16>)
      {
  ^bb0(%e0: f32, %out: f16):
    %r = arith.truncf %e0 : f32 to f16
    linalg.yield %r : f16
  } -> tensor<?x?xf16>
  %abd_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %abd_fill = linalg.fill ins(%zero : f32) outs(%abd_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %abd = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%half, %d : tensor<?x?xf16>, tensor<?x?xf16>) outs(%abd_fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %abd : tensor<?x?xf32>
}

// An epilogue of two products is fused with the later one; the earlier one is read from memory.
// CHECK-LABEL: mmk.kernel @two_products
// CHECK:       %[[FIRST:.*]] = mmk.fusion_group {
// CHECK:         linalg.contract
// CHECK-NOT:     linalg.generic
// CHECK:       mmk.fusion_group {
// CHECK:         %[[ACC:.*]] = linalg.contract
// CHECK:         linalg.generic {{.*}} ins(%[[FIRST]], %[[ACC]] :
mmk.kernel @two_products dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %acc0_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %acc0_fill = linalg.fill ins(%zero : f32) outs(%acc0_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc0 = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%acc0_fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc1_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %acc1_fill = linalg.fill ins(%zero : f32) outs(%acc1_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc1 = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%acc1_fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc0, %acc1 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%y_empty : tensor<?x?xf32>)
      {
  ^bb0(%e0: f32, %e1: f32, %out: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}

// No product: one fusion group with one generic. Each operand keeps its broadcast.
// CHECK-LABEL: mmk.kernel @elementwise
// CHECK:       ^bb0(%[[X:.*]]: tensor<?x?xf32>, %[[W:.*]]: tensor<?xf32>, %[[Q:.*]]: tensor<?xf32>):
// CHECK:       mmk.fusion_group {
// CHECK:         linalg.generic {indexing_maps = [#[[ID:.*]], #[[ROW:.*]], #[[COLUMN:.*]], #[[ID]]],
// CHECK-SAME:      ins(%[[X]], %[[W]], %[[Q]] :
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK-NOT:   linalg.generic
// CHECK:       mmk.return
mmk.kernel @elementwise dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>, #mmk.named<"w"["N"]>, #mmk.named<"q"["M"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %q: tensor<?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %scaled_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%scaled_empty : tensor<?x?xf32>)
      {
  ^bb0(%e0: f32, %e1: f32, %out: f32):
    %r = arith.mulf %e0, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %y_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %q : tensor<?x?xf32>, tensor<?xf32>) outs(%y_empty : tensor<?x?xf32>)
      {
  ^bb0(%e0: f32, %e1: f32, %out: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}

// An intermediate value of extent 1 that broadcasts is computed where it is read, like any other: its
// operands are sliced down to what is read of them, a column of %q and one element of %s.
// CHECK-LABEL: mmk.kernel @broadcast
// CHECK:       ^bb0(%[[X:.*]]: tensor<?x?xf32>, %[[Q:.*]]: tensor<?x?xf32>, %[[S:.*]]: tensor<?xf32>):
// CHECK:       mmk.fusion_group {
// CHECK-DAG:     %[[COLUMN:.*]] = tensor.extract_slice %[[Q]][0, 0] [%{{.*}}, 1] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
// CHECK-DAG:     %[[SINGLE:.*]] = tensor.extract_slice %[[S]][0] [1] [1] : tensor<?xf32> to tensor<f32>
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[COLUMN]], %[[SINGLE]] :
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK-NOT:   linalg.generic
// CHECK:       mmk.return
mmk.kernel @broadcast dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>, #mmk.named<"q"["M", "1"]>, #mmk.named<"s"["1"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>, %q: tensor<?x?xf32>, %s: tensor<?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %one = mmk.dim "1"
  %col_empty = tensor.empty(%m, %one) : tensor<?x?xf32>
  %col = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%col_empty : tensor<?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out: f32):
    %r = arith.mulf %e0, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %slice = tensor.extract_slice %col[0, 0] [%m, 1] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
  %y_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %slice : tensor<?x?xf32>, tensor<?xf32>) outs(%y_empty : tensor<?x?xf32>)
      {
  ^bb0(%e0: f32, %e1: f32, %out: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}

// A cumulative sum is a group of its own, whose operand is in memory.
// CHECK-LABEL: mmk.kernel @cumulative
// CHECK:      %[[TWICE:.*]] = mmk.fusion_group {
// CHECK:      %[[SUMS:.*]] = mmk.fusion_group over ["M", "N"] reduce [1] {
// CHECK-NEXT: ^bb0(%block: index):
// CHECK-NEXT:   %[[S:.*]] = mmk.rows %[[TWICE]] along [array<i64: 0, 1>] to [array<i64: 0, 1>] {
// CHECK-NEXT:   ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT:     %[[SUM:.*]] = mmk.row_reduce add scan %[[E]] from 0.000000e+00 : f32
// CHECK-NEXT:     mmk.row_elements %[[SUM]]
// CHECK:        mmk.yield %[[S]]
// CHECK:      %[[Y:.*]] = mmk.fusion_group {
// CHECK:        linalg.generic {{.*}} ins(%[[SUMS]] :
// CHECK:      mmk.return %[[Y]]
mmk.kernel @cumulative dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %twice = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %o: f32):
    %r = arith.addf %e, %e : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %sums = mmk.cumulate %twice along 1 : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %o: f32):
    %r = arith.negf %e : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
