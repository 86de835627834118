// The reduction of a product in two steps: the depth of one transfer into L1, and that of one
// matrix instruction.
// RUN: mmk-opt %s --mmk-tile-base --canonicalize --cse | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// Both steps end at the ragged edge: the stage at K, the base tile at the end of its stage. Results of
// inner loops are carried as the accumulator.
// CHECK-DAG:   #[[$STAGE:.*]] = affine_map<(d0)[s0] -> (-d0 + s0, 256)>
// CHECK-DAG:   #[[$BASE:.*]] = affine_map<(d0)[s0] -> (-d0 + s0, 64)>
// CHECK-LABEL: mmk.kernel @product
// CHECK:       ^bb0(%[[A:.*]]: tensor<?x?xf16>, %[[B:.*]]: tensor<?x?xf16>):
// CHECK:         mmk.fusion_group {{.*}}steps [256, 64]
// CHECK:           %[[FILL:.*]] = linalg.fill
// CHECK:           %[[OUTER:.*]] = scf.for %[[KS:.*]] = %c0 to %[[K:.*]] step %c256 iter_args(%[[ACC0:.*]] = %[[FILL]])
// CHECK-NEXT:        %[[DEPTH:.*]] = affine.min #[[$STAGE]](%[[KS]])[%[[K]]]
// CHECK-NEXT:        %[[A1:.*]] = tensor.extract_slice %[[A]][0, %[[KS]]] [%{{.*}}, %[[DEPTH]]] [1, 1]
// CHECK-NEXT:        %[[B1:.*]] = tensor.extract_slice %[[B]][%[[KS]], 0] [%[[DEPTH]], %{{.*}}] [1, 1]
// CHECK:             %[[INNER:.*]] = scf.for %[[KB:.*]] = %c0 to %[[DEPTH]] step %c64
// CHECK-NEXT:          %[[STEP:.*]] = affine.min #[[$BASE]](%[[KB]])[%[[DEPTH]]]
// CHECK-NEXT:          %[[A0:.*]] = tensor.extract_slice %[[A1]][0, %[[KB]]] [%{{.*}}, %[[STEP]]] [1, 1]
// CHECK-NEXT:          %[[B0:.*]] = tensor.extract_slice %[[B1]][%[[KB]], 0] [%[[STEP]], %{{.*}}] [1, 1]
// CHECK:               linalg.contract {{.*}} ins(%[[A0]], %[[B0]] :
// CHECK:             }
// CHECK:           }
// CHECK:           tensor.insert_slice %[[OUTER]] into
mmk.kernel @product dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %c = mmk.fusion_group tile [128, 256] {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
      %acc = linalg.contract indexing_maps = [#a, #b, #c]
          ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
      %insert = tensor.insert_slice %acc into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %insert : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %c : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.K" = [64]
  mmk.choice "stage.K" = [256]
}

// B is transposed: its slices are along its second dimension. The depth is a literal, for which a
// schedule has no directive: 128 bytes a row, one base tile a stage.
// CHECK-LABEL: mmk.kernel @transposed
// CHECK:       ^bb0(%{{.*}}: tensor<?x?xf16>, %[[B:.*]]: tensor<?x?xf16>):
// CHECK:         mmk.fusion_group {{.*}}steps [64, 64]
// CHECK:           scf.for %[[KS:.*]] = %c0 to %{{.*}} step %c64
// CHECK:             %[[B1:.*]] = tensor.extract_slice %[[B]][0, %[[KS]]]
// CHECK:             scf.for %[[KB:.*]] = %c0 to %{{.*}} step %c64
// CHECK:               tensor.extract_slice %[[B1]][0, %[[KB]]]
// CHECK:               linalg.contract
mmk.kernel @transposed dims ["M", "N"]
    args [#mmk.named<"a"["M", "300"]>, #mmk.named<"b"["N", "300"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %c = mmk.fusion_group tile [128, 256] {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
      %acc = linalg.contract indexing_maps = [#a, #bt, #c]
          ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
      %insert = tensor.insert_slice %acc into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %insert : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %c : tensor<?x?xf32>
}

// An elementwise fusion group has no reduction, and is unchanged.
// CHECK-LABEL: mmk.kernel @elementwise
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:       mmk.return
mmk.kernel @elementwise dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group tile [128, 256] {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %neg = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                             iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
      ^bb0(%e: f32, %o: f32):
        %s = arith.negf %e : f32
        linalg.yield %s : f32
      } -> tensor<?x?xf32>
      %insert = tensor.insert_slice %neg into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %insert : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
