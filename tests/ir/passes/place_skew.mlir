// `skew = stages`: each core starts its products at another stage.
// RUN: mmk-opt %s --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {

// Core i starts with stage i and wraps around. The index of a stage decides the load and its size;
// the number of earlier stages decides the slots and the start of the sum.
// CHECK-LABEL: aicore.kernel @skewed
// CHECK:           %[[STAGES:.*]] = arith.ceildivsi %K, %c48
// CHECK:           %[[BEFORE:.*]] = arith.muli %{{.*}}, %[[STAGES]]
// CHECK-NEXT:      scf.for %[[KS:.*]] = %c0 to %K step %c48 {
// CHECK-NEXT:        %[[IN_TILE:.*]] = arith.divsi %[[KS]], %c48
// CHECK-NEXT:        %[[TURNED:.*]] = arith.addi %[[IN_TILE]], %block
// CHECK-NEXT:        %[[WHICH:.*]] = arith.remsi %[[TURNED]], %[[STAGES]]
// CHECK-NEXT:        %[[START:.*]] = arith.muli %[[WHICH]], %c48
// CHECK:             %[[DEPTH:.*]] = arith.minsi %{{.*}}, %c48
// CHECK-NEXT:        %[[STAGE:.*]] = arith.addi %[[BEFORE]], %[[IN_TILE]]
// CHECK-NEXT:        aicore.slot %[[STAGE]] of %a_l1
// CHECK-NEXT:        aicore.load %a[%{{.*}}, %[[START]]] along [0, 1] size(%{{.*}}, %[[DEPTH]])
// CHECK:             aicore.load %b[%[[START]], %{{.*}}] along [0, 1] size(%[[DEPTH]], %{{.*}})
// CHECK-NEXT:        %[[SOME:.*]] = arith.maxsi %[[DEPTH]], %c1
// CHECK-NEXT:        scf.for %[[KB:.*]] = %c0 to %[[SOME]] step %c16 {
// CHECK:               aicore.load_l0 %a_l1[%{{.*}}] at(%c0, %[[KB]])
// CHECK:               %[[DONE:.*]] = arith.addi %[[KS]], %[[KB]]
// CHECK-NEXT:          %[[BEGINS:.*]] = arith.cmpi eq, %[[DONE]], %c0
// CHECK-NEXT:          aicore.mmad {{.*}} first(%[[BEGINS]])
mmk.kernel @skewed dims ["M", "K", "N"]
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
  mmk.choice "skew" = ["stages"]
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
  mmk.choice "cores" = [4]
  mmk.choice "buffers.ub" = [2]
  mmk.choice "buffers.out" = [2]
  mmk.choice "buffers.l1" = [2]
}
}
