// Reductions as IR: the reduced dimensions are none of the result's tensor, so that it stretches back.
// FileCheck reads this file: see reductions.test.

// Elements are converted first; the maximum starts from -inf, a sum from 0.
// CHECK-LABEL: mmk.kernel @rows
// CHECK:         %[[X:.*]] = linalg.generic {{.*}} ins(%x : tensor<?x?xf16>)
// CHECK:         %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         %[[START:.*]] = linalg.fill ins(%[[LOWEST]] : f32)
// CHECK:         %[[TOP:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[X]] : tensor<?x?xf32>) outs(%[[START]] : tensor<?xf32>)
// CHECK:           arith.maximumf %out, %in : f32
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[TOP]] : tensor<?xf32>)
// CHECK:           arith.cmpf oeq
// CHECK:         %[[SAFE:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%{{.*}}, %[[TOP]] : tensor<?xi1>, tensor<?xf32>)
// CHECK:           arith.select
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[SAFE]] : tensor<?x?xf32>, tensor<?xf32>)
// CHECK:           arith.subf
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK:           arith.addf %out, %in : f32
kernel rows(x: f16[M, N]) -> y: f16[M, N] {
  y = softmax[N](x);
}

// Several dimensions are reduced together; a mean divides by the product of their extents.
// CHECK-LABEL: mmk.kernel @several
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "reduction"]}
// CHECK:         %[[COUNT:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK:         arith.sitofp %[[COUNT]] : i64 to f32
// CHECK:         mmk.return %{{.*}} : tensor<?xf32>
kernel several(x: f32[A, B, C]) -> y: f32[B] {
  y = mean[A, C](x);
}

// A scalar result is a tensor of one element.
// CHECK-LABEL: mmk.kernel @all
// CHECK-SAME:    #mmk.named<"s"["1"]>
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} {{.*}} outs(%{{.*}} : tensor<i32>)
// CHECK:           arith.addi
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]] : tensor<i32>) outs(%{{.*}} : tensor<?xi32>)
kernel all(x: i8[M, N]) -> s: i32 {
  s = sum[M, N](x);
}

// The value and its position go together; the first NaN wins.
// CHECK-LABEL: mmk.kernel @position
// CHECK:         %[[BOTH:.*]]:2 = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]}
// CHECK:           %[[BEYOND:.*]] = arith.cmpf ugt, %in, %[[BEST:.*]] : f32
// CHECK:           %[[NUMBER:.*]] = arith.cmpf ord, %[[BEST]], %[[BEST]] : f32
// CHECK:           %[[TAKES:.*]] = arith.andi %[[BEYOND]], %[[NUMBER]] : i1
// CHECK:           linalg.index 0 : index
// CHECK:         mmk.return %[[BOTH]]#1 : tensor<?xi32>
kernel position(x: f32[M, N]) -> y: i32[N] {
  y = argmax[M](x);
}

// Whether any condition is true is a maximum of ones and zeros.
// CHECK-LABEL: mmk.kernel @conditions
// CHECK:           arith.select %in, %{{.*}}, %{{.*}} : f32
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} {{.*}} outs(%{{.*}} : tensor<?xf32>)
// CHECK:           arith.maximumf %out, %in : f32
// CHECK:           arith.cmpf ogt, %in, %{{.*}} : f32
// CHECK:         mmk.cumulate %{{.*}} along 0 : tensor<?x?xf32>
kernel conditions(x: f32[M, N]) -> y: f32[M, N] {
  y = select(any[N](x > 0 || x < -1), cumsum[M](x), 0);
}

// Of a transpose: the result is in the order of its dimensions.
// CHECK-LABEL: mmk.kernel @transposed
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "parallel"]} ins(%x
// CHECK-NOT:     reduction
// CHECK:         linalg.generic {indexing_maps = [#[[SWAPPED:.*]], #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[SUM]]
kernel transposed(x: f32[A, M, M]) -> y: f32[M, M] {
  y = sum[A](transpose(x));
}

// An operand of a product has its two dimensions again.
// CHECK-LABEL: mmk.kernel @outer
// CHECK:         %[[COLUMN:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x?xf32>)
// CHECK:         linalg.contract {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x?xf32>, tensor<?x?xf32>)
kernel outer(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N] {
  y = sum[K](a) @ sum[K](b);
}
