// A buffer for each value of a tile. The later passes on them are tested by place_*.mlir.
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   --aicore-assign-memories --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

module attributes {aicore.machine = #machine} {

// Operands in L1 by stages and in L0 by base tiles, the product in L0C for as long as the loop over
// stages carries it. Its vector cores receive it through the block's own global memory.
// CHECK-LABEL: mmk.kernel @epilogue
// CHECK:         mmk.fusion_group tile [64, 32] steps [48, 16] {
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %[[A_L1:a_l1]] = aicore.alloc "a" of "l1" copies 1 : memref<64x48xf16, #aicore.space<l1>>
// CHECK-NEXT:      %[[B_L1:b_l1]] = aicore.alloc "b" of "l1" copies 1 : memref<48x32xf16, #aicore.space<l1>>
// CHECK-NEXT:      %[[A_L0:a_l0a]] = aicore.alloc "a" of "l0" copies 1 : memref<64x16xf16, #aicore.space<l0a>>
// CHECK-NEXT:      %[[B_L0:b_l0b]] = aicore.alloc "b" of "l0" copies 1 : memref<16x32xf16, #aicore.space<l0b>>
// CHECK-NEXT:      %[[ACC:acc_l0c]] = aicore.alloc "acc" of "acc" copies 1 : memref<64x32xf32, #aicore.space<l0c>>
// The rows of one vector core, in one step.
// CHECK-NEXT:      %[[ACC_UB:acc_ub]] = aicore.alloc "acc" of "ub" copies 1 : memref<32x32xf32, #aicore.space<ub>>
// CHECK-NEXT:      %[[BIAS_UB:bias_ub]] = aicore.alloc "bias" of "ub" copies 1 : memref<1x32xf32, #aicore.space<ub>>
// CHECK-NEXT:      %[[OUT:out_ub]] = aicore.alloc "out" of "out" copies 1 : memref<32x32xf32, #aicore.space<ub>>
// CHECK-NEXT:      %[[ACC_GM:acc_gm]] = aicore.alloc "acc" of "out" copies 1 : memref<64x32xf32, #aicore.space<gm>>
// CHECK:           scf.for
// CHECK:             %[[ZERO:.*]] = linalg.fill
// CHECK-NEXT:        %[[START:.*]] = aicore.place %[[ZERO]] in %[[ACC]]
// CHECK-NEXT:        %[[PRODUCT:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[START]])
// CHECK:               %[[STAGE_A:.*]] = tensor.extract_slice
// CHECK:               %[[STAGE_B:.*]] = tensor.extract_slice
// CHECK:               %[[IN_L1_A:.*]] = aicore.place %[[STAGE_A]] in %[[A_L1]]
// CHECK-NEXT:          %[[IN_L1_B:.*]] = aicore.place %[[STAGE_B]] in %[[B_L1]]
// CHECK-NEXT:          scf.for
// CHECK:                 %[[BASE_A:.*]] = tensor.extract_slice %[[IN_L1_A]]
// CHECK-NEXT:            %[[BASE_B:.*]] = tensor.extract_slice %[[IN_L1_B]]
// CHECK-NEXT:            %[[IN_L0_A:.*]] = aicore.place %[[BASE_A]] in %[[A_L0]]
// CHECK-NEXT:            %[[IN_L0_B:.*]] = aicore.place %[[BASE_B]] in %[[B_L0]]
// CHECK-NEXT:            linalg.contract {{.*}} ins(%[[IN_L0_A]], %[[IN_L0_B]] :
// CHECK:             %[[BIAS:.*]] = tensor.extract_slice %bias
// CHECK-NEXT:        %[[IN_GM:.*]] = aicore.place %[[PRODUCT]] in %[[ACC_GM]]
// CHECK-NEXT:        %[[IN_UB:.*]] = aicore.place %[[IN_GM]] in %[[ACC_UB]]
// CHECK-NEXT:        %[[BIAS_IN_UB:.*]] = aicore.place %[[BIAS]] in %[[BIAS_UB]]
// CHECK-NEXT:        %[[Y:.*]] = linalg.generic {{.*}} ins(%[[IN_UB]], %[[BIAS_IN_UB]] :
// CHECK:             %[[Y_IN_UB:.*]] = aicore.place %[[Y]] in %[[OUT]]
// CHECK-NEXT:        tensor.insert_slice %[[Y_IN_UB]]
mmk.kernel @epilogue dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    %empty1 = tensor.empty(%m, %n) : tensor<?x?xf32>
    %sum = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty1 : tensor<?x?xf32>) {
    ^bb0(%e: f32, %f: f32, %out: f32):
      %s = arith.addf %e, %f : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    mmk.yield %sum : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
  mmk.choice "cores" = [4]
  mmk.choice "buffers.ub" = [2]
  mmk.choice "buffers.out" = [2]
  mmk.choice "buffers.l1" = [2]
}

// A panel is placed before the loop over its tiles; its stages are slices of it.
// CHECK-LABEL: mmk.kernel @rows
// CHECK:           %[[PANEL:a_l1]] = aicore.alloc "a" of "panel" copies 1 : memref<64x128xf16, #aicore.space<l1>>
// CHECK:           scf.for
// CHECK:             %[[A:.*]] = tensor.extract_slice %a
// CHECK-NEXT:        %[[HELD:.*]] = aicore.place %[[A]] in %[[PANEL]]
// CHECK-NEXT:        scf.for
// CHECK:               scf.for
// CHECK:                 %[[STAGE:.*]] = tensor.extract_slice %[[HELD]]
// CHECK-NOT:             aicore.place %[[STAGE]]
// CHECK:                 scf.for
// CHECK:                   %[[BASE:.*]] = tensor.extract_slice %[[STAGE]]
// CHECK:                   aicore.place %[[BASE]] in %a_l0a
// CHECK-NEXT:              aicore.place %{{.*}} in %b_l0b
// The fixpipe stores the product: no buffer in UB.
// CHECK-NOT:         aicore.place
mmk.kernel @rows dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.yield %acc : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "keep" = ["A(128)"]
  mmk.choice "grid.M" = [2]
  mmk.choice "grid.N" = [2]
  mmk.choice "cores" = [4]
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
}

}
