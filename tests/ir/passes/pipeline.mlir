// All passes on the main example, C = leaky_relu(A x B + bias, alpha). The test is the order at the
// end: the transfer of the next stage before the product of this one, and the flags between them.
// RUN: mmk-opt %s --mmk-apply-variant=machine=ascend910b3 --mmk-pipeline | FileCheck %s
// RUN: mmk-opt %s --mmk-apply-variant=machine=ascend310p3 --mmk-pipeline | FileCheck %s --check-prefix=COUPLED
// With one copy of everything no transfer is moved ahead; with a separate epilogue there are two
// phases.
// RUN: mmk-opt %s --mmk-set-choices="variant=l1=1,l0=1,acc=1,out=1,ub=1,fuse=none" --mmk-apply-variant=machine=ascend910b3 \
// RUN:   --mmk-pipeline | FileCheck %s --check-prefix=SINGLE
// The pipeline ends with the proof that the flags of all three order every hazard.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

// CHECK-LABEL: aicore.kernel @matmul_bias_leakyrelu
// CHECK-SAME:    cores 20 buffers {acc = 1 : i64, l0 = 2 : i64, l1 = 2 : i64, out = 2 : i64, ub = 2 : i64}
// CHECK:       ^bb0(%M: index, %K: index, %N: index, %[[A:a]]: {{[^,]*}}, #aicore.space<gm>>, %[[B:b]]: {{[^,]*}}, #aicore.space<gm>>, %[[BIAS:bias]]: {{[^,]*}}, #aicore.space<gm>>, %alpha: f32, %[[C:c]]:
// CHECK:       aicore.phase {
// CHECK:         aicore.alloc "a" of "l1" copies 2 at 262144 : memref<128x256xf16
// CHECK-NEXT:    aicore.alloc "b" of "l1" copies 2 at 0 : memref<256x256xf16
// CHECK-NEXT:    aicore.alloc "a" of "l0" copies 2 at 0 : memref<128x64xf16
// CHECK-NEXT:    aicore.alloc "b" of "l0" copies 2 at 0 : memref<64x256xf16
// CHECK-NEXT:    aicore.alloc "acc" of "acc" copies 1 at 0 : memref<128x256xf32
// The loop over the tiles of a core.
// CHECK:         scf.for
// The first stage of this tile, before the loop over stages.
// CHECK:           scf.if
// CHECK:             aicore.wait_flag [mte1 -> mte2] 0 + %[[S0:.*]]
// CHECK-NEXT:        aicore.load %[[A]][{{.*}} -> %a_l1[%[[S0]]]
// CHECK:             aicore.load %[[B]][{{.*}} -> %b_l1
// CHECK-NEXT:        aicore.set_flag [mte2 -> mte1] 0 + %[[S0]]
// CHECK-NEXT:      }
// CHECK-NEXT:      aicore.wait_flag [fixpipe -> cube] 0 + %[[ACC:.*]]
// CHECK-NEXT:      scf.for %[[KS:.*]] = %c0 to %K step %c256 {
// Stage i + 1 is loaded ...
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addi %[[KS]], %c256
// CHECK-NEXT:        %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %K
// CHECK-NEXT:        scf.if %[[MORE]] {
// CHECK:               aicore.wait_flag [mte1 -> mte2] 0 + %[[S1:.*]]
// CHECK-NEXT:          aicore.load %[[A]][%{{.*}}, %[[NEXT]]] {{.*}} -> %a_l1[%[[S1]]]
// CHECK:               aicore.load %[[B]][%[[NEXT]], %{{.*}}] {{.*}} -> %b_l1
// CHECK-NEXT:          aicore.set_flag [mte2 -> mte1] 0 + %[[S1]]
// CHECK-NEXT:        }
// ... while stage i is computed. Its first base tile goes to L0,
// CHECK:             aicore.wait_flag [mte2 -> mte1] 0 + %[[S:.*]]
// CHECK-NEXT:        scf.if
// CHECK:               aicore.wait_flag [cube -> mte1] 0 + %[[T0:.*]]
// CHECK-NEXT:          aicore.load_l0 %a_l1[%[[S]]] {{.*}} -> %a_l0a[%[[T0]]]
// CHECK:               aicore.load_l0 %b_l1
// CHECK-NEXT:          aicore.set_flag [mte1 -> cube] 0 + %[[T0]]
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.for
// the next one ahead of the matrix instruction,
// CHECK:               scf.if
// CHECK:                 aicore.wait_flag [cube -> mte1] 0 + %[[T1:.*]]
// CHECK-NEXT:            aicore.load_l0 %a_l1[%[[S]]] {{.*}} -> %a_l0a[%[[T1]]]
// CHECK:                 aicore.set_flag [mte1 -> cube] 0 + %[[T1]]
// CHECK-NEXT:          }
// CHECK:               aicore.wait_flag [mte1 -> cube] 0 + %[[T:.*]]
// CHECK-NEXT:          aicore.mmad %a_l0a[%[[T]]], %b_l0b[%{{.*}}] -> %acc_l0c[%[[ACC]]]
// CHECK-NEXT:          aicore.set_flag [cube -> mte1] 0 + %[[T]]
// CHECK-NEXT:        }
// and after the last of them the stage is free again.
// CHECK-NEXT:        aicore.set_flag [mte1 -> mte2] 0 + %[[S]]
// CHECK-NEXT:      }
// CHECK-NEXT:      aicore.set_flag [cube -> fixpipe] 0 + %[[ACC]]
// CHECK:           aicore.spill %acc_l0c[%[[ACC]]]
// CHECK-NEXT:      aicore.set_cross fixpipe to vector 0 +
// CHECK:           aicore.vector_cores 2 {
// CHECK:             aicore.wait_cross mte2 from cube 0 +
// CHECK:             aicore.fetch
// CHECK:             scf.for
// CHECK:               aicore.fetch
// CHECK:               aicore.vector
// CHECK-NEXT:          ^bb0(%acc: !aicore.tile<f32>, %[[BIAS_TILE:.*]]: !aicore.tile<f32>, %out: !aicore.tile<f32>):
// CHECK-NEXT:            aicore.vec add %acc, %[[BIAS_TILE]] -> %out :
// The bias is inside of alpha's reach, and the instruction selects: right for every alpha.
// CHECK-NEXT:            aicore.vec leaky_relu %out, %alpha -> %out :
// CHECK-NEXT:            aicore.yield
// CHECK:               aicore.store {{.*}} -> %[[C]]
// CHECK:             aicore.set_cross mte2 to cube 2 +
// CHECK:       } attributes {variant = "cores=20,tile=autoxautox64,stage=256,l1=2,l0=2,acc=1,out=2,ub=2,order=rows,fuse=all"}

// The coupled chip has the same product and no cross-core flag; the vector pipe takes the accumulator.
// COUPLED-LABEL: aicore.kernel @matmul_bias_leakyrelu
// COUPLED-NOT:   cross
// COUPLED:         aicore.wait_flag [vector -> cube] 0 + %[[ACC:.*]]
// COUPLED-NEXT:    scf.for
// COUPLED:           aicore.load
// COUPLED:           scf.for
// COUPLED:             aicore.mmad
// COUPLED:         aicore.set_flag [cube -> vector] 0 + %[[ACC]]
// COUPLED-NOT:   cross
// COUPLED:         aicore.wait_flag [cube -> vector] 0 + %[[ACC]]
// COUPLED:           aicore.drain %acc_l0c[%[[ACC]]]
// COUPLED:           aicore.vector
// COUPLED:           aicore.store
// COUPLED-NOT:   cross

// SINGLE-LABEL: aicore.kernel @matmul_bias_leakyrelu
// SINGLE:         %[[ACC:acc]] = aicore.workspace "acc" [%M, %N]
// SINGLE:         aicore.phase {
// SINGLE-NOT:       scf.if
// SINGLE-NOT:       aicore.vector_cores
// SINGLE:           aicore.load
// SINGLE:           aicore.load
// SINGLE:           aicore.load_l0
// SINGLE:           aicore.load_l0
// SINGLE:           aicore.mmad
// SINGLE:           aicore.fixpipe {{.*}} -> %[[ACC]][
// SINGLE:         aicore.phase {
// SINGLE-NOT:       scf.if
// SINGLE:             aicore.load %[[ACC]][
// SINGLE:             aicore.vector
// SINGLE:             aicore.store
mmk.kernel @matmul_bias_leakyrelu dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>, #mmk.named<"alpha">]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>, %alpha: f32):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %acc_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%acc_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%sum_empty : tensor<?x?xf32>)
      {
  ^bb0(%e: f32, %f: f32, %out: f32):
    %s = arith.addf %e, %f : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %c_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<?x?xf32>) outs(%c_empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    %positive = arith.cmpf oge, %e, %zero : f32
    %scaled = arith.mulf %alpha, %e : f32
    %y = arith.select %positive, %e, %scaled : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  mmk.return %c : tensor<?x?xf32>
}
