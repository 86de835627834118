// Every operation of the dialect, printed as it was read.
// RUN: mmk-opt %s | mmk-opt | FileCheck %s

!gm = memref<?x?xf16, #aicore.space<gm>>
!gm_row = memref<?xf32, #aicore.space<gm>>
!gm_out = memref<?x?xf32, #aicore.space<gm>>
!a_l0 = memref<128x64xf16, #aicore.space<l0a>>
!b_l0 = memref<64x64xf16, #aicore.space<l0b>>
!acc = memref<128x64xf32, #aicore.space<l0c>>

// Inputs along dimensions of the tile, and along none.
// CHECK-LABEL: aicore.kernel @tiles
aicore.kernel @tiles dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"bias"["M"]>] results [#mmk.named<"c"["M", "M"]>]
    cores 1 buffers {} {
^bb0(%m: index, %a: !gm, %bias: !gm_row, %c: !gm_out):
  aicore.phase {
  ^bb0(%block: index):
    // CHECK: %{{.*}} = cpu.threads
    %threads = cpu.threads
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : !a_l0
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : !b_l0
    %acc = aicore.alloc "acc" of "scratch" copies 1 : !acc
    // CHECK: cpu.product %a[%M, %block] along [0, 1], %a[%block, %M] along [1, 0] size(%M, %M, %M) step 64 ins(%bias[%M] along [-1, 0], %bias[%block] along [0, -1] : memref<?xf32, #aicore.space<gm>>, memref<?xf32, #aicore.space<gm>>) outs(%c[%M, %block] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0a, %b_l0b, %acc_l0c) {
    // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[V:.*]]: f32, %{{.*}}: f32):
    // CHECK: cpu.yield %{{.*}} : f32
    // CHECK-NEXT: } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
    cpu.product %a[%m, %block] along [0, 1], %a[%block, %m] along [1, 0] size(%m, %m, %m) step 64 ins(%bias[%m] along [-1, 0], %bias[%block] along [0, -1] : !gm_row, !gm_row) outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%sum: f32, %v: f32, %w: f32):
      %y = arith.addf %sum, %v : f32
      cpu.yield %y : f32
    } : !gm, !gm, !a_l0, !b_l0, !acc
    // CHECK: cpu.product %a[%M, %M] along [-1, -1], %a[%block, %M] along [0, 1] size(%M, %M, %M) step 64 ins() outs(%c[%M, %block] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0a, %b_l0b, %acc_l0c) window #{{.*}} digits [2, 1](%block, %M, %M, %M, %M, %block) {
    cpu.product %a[%m, %m] along [-1, -1], %a[%block, %m] along [0, 1] size(%m, %m, %m) step 64 ins() outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%a_l0, %b_l0, %acc) window affine_map<(n, p, r)[s] -> (n, p + r - s)> digits [2, 1] (%block, %m, %m, %m, %m, %block) {
    ^bb0(%sum: f32):
      cpu.yield %sum : f32
    } : !gm, !gm, !a_l0, !b_l0, !acc
    // CHECK: cpu.product {{.*}} ins() outs(%c[%M, %block] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch
    cpu.product %a[%m, %block] along [0, 1], %a[%block, %m] along [0, 1] size(%m, %m, %m) step 64 ins() outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%sum: f32):
      cpu.yield %sum : f32
    } : !gm, !gm, !a_l0, !b_l0, !acc
    // CHECK: cpu.elementwise size(%M, %block) ins(%bias[%block] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%M, %block] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) {
    // CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
    // CHECK-NEXT: cpu.yield %[[E]] : f32
    cpu.elementwise size(%m, %block) ins(%bias[%block] along [-1, 0] : !gm_row) outs(%c[%m, %block] along [0, 1] : !gm_out) {
    ^bb0(%e: f32):
      cpu.yield %e : f32
    }
    // CHECK: %[[STRIDE:.*]] = cpu.stride %c 0 : memref<?x?xf32, #aicore.space<gm>>
    %stride = cpu.stride %c 0 : !gm_out
    // CHECK: cpu.elementwise size(%M, %block) ins(%bias[%M] along [-1, -1] : memref<?xf32, #aicore.space<gm>>)
    // CHECK-NEXT: ^bb0(%[[SOURCE:.*]]: f32):
    // CHECK-NEXT: %[[P:.*]] = cpu.position 1 from %block
    // CHECK-NEXT: %[[AT:.*]] = arith.index_cast %[[P]] : i32 to index
    // CHECK-NEXT: %[[V:.*]] = cpu.gather %[[SOURCE]] at %[[AT]] : f32
    // CHECK-NEXT: %[[HERE:.*]] = arith.cmpi ult, %[[STRIDE]], %M : index
    // CHECK-NEXT: %[[R:.*]] = cpu.gather_run %[[SOURCE]] at %[[AT]] step 2 stride %[[STRIDE]] where %[[HERE]], %[[AT]] below %M else %[[V]] : f32
    // CHECK-NEXT: %[[U:.*]] = cpu.random %[[P]] at %[[STRIDE]] contiguous
    cpu.elementwise size(%m, %block) ins(%bias[%m] along [-1, -1] : !gm_row) outs(%c[%m, %block] along [0, 1] : !gm_out) {
    ^bb0(%source: f32):
      %p = cpu.position 1 from %block
      %at = arith.index_cast %p : i32 to index
      %v = cpu.gather %source at %at : f32
      %here = arith.cmpi ult, %stride, %m : index
      %r = cpu.gather_run %source at %at step 2 stride %stride where %here, %at below %m else %v : f32
      %u = cpu.random %p at %stride contiguous
      %w = arith.addf %v, %r : f32
      %y = arith.addf %w, %u : f32
      cpu.yield %y : f32
    }
    // CHECK: cpu.cumulate size(%M, %block) sum 1 ins(%c[%M, %block] along [0, 1], %bias[%block] along [0, -1] : memref<?x?xf32, #aicore.space<gm>>, memref<?xf32, #aicore.space<gm>>) outs(%c[%M, %block] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%sums_ub) : memref<1x64xf32, #aicore.space<ub>>
    %sums = aicore.alloc "sums" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    cpu.cumulate size(%m, %block) sum 1 ins(%c[%m, %block] along [0, 1], %bias[%block] along [0, -1] : !gm_out, !gm_row) outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%sums) : memref<1x64xf32, #aicore.space<ub>>
    // CHECK: cpu.rows size(%M, %block) reduce [1] ins(%a[%M, %block] along [0, 1], %bias[%block] along [-1, 0] : memref<?x?xf16, #aicore.space<gm>>, memref<?xf32, #aicore.space<gm>>) outs(%c[%M, %block] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%row_ub) {
    // CHECK-NEXT: ^bb0(%[[E:.*]]: f16, %[[W:.*]]: f32):
    // CHECK-NEXT: %[[BEST:.*]], %[[WHERE:.*]] = cpu.reduce argmax %[[E]] from 0xFC00 : f16 -> f16, i32
    // CHECK-NEXT: %[[SUM:.*]] = cpu.reduce add %[[W]] from 0.000000e+00 : f32 -> f32
    // CHECK-NEXT: cpu.yield %[[SUM]] : f32
    // CHECK-NEXT: } : memref<1x64xf32, #aicore.space<ub>>
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    cpu.rows size(%m, %block) reduce [1] ins(%a[%m, %block] along [0, 1], %bias[%block] along [-1, 0] : !gm, !gm_row) outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%row) {
    ^bb0(%e: f16, %w: f32):
      %best, %where = cpu.reduce argmax %e from 0xFC00 : f16 -> f16, i32
      %total = cpu.reduce add %w from 0.0 : f32 -> f32
      cpu.yield %total : f32
    } : memref<1x64xf32, #aicore.space<ub>>
    // CHECK: cpu.chain size(%M of %M, %M) a(%a[%M, %block] along [0, 1], %a[%M, %block] along [0, 1] : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>) b(%a[%M, %block] along [1, 0], %a[%M, %block] along [1, 0] : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>) depths(%block, %M) v(%a[%M, %block] along [0, 1], %a[%M, %block] along [0, 1] : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>) columns(%block, %M) ins(%bias[%block] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%bias[%M] along [0, -1] : memref<?xf32, #aicore.space<gm>>) behind(%bias[%block] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) results(%c[%M, %block] along [0, 1], %c[%M, %block] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>, memref<?x?xf32, #aicore.space<gm>>) scratch(%row_ub) {
    // CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %[[D:.*]]: f32, %[[B:.*]]: f32):
    // CHECK-NEXT: %[[TOP:.*]] = cpu.reduce max %[[S]] from 0xFF800000 : f32 -> f32
    // CHECK-NEXT: %[[OLD:.*]] = cpu.before %[[TOP]] from %[[TOP]] : f32
    // CHECK-NEXT: %[[SUM:.*]] = cpu.reduce add %[[B]] from 0.000000e+00 : f32 times %[[OLD]] -> f32
    // CHECK-NEXT: %[[W:.*]] = arith.truncf %[[S]] : f32 to f16
    // CHECK-NEXT: %[[X:.*]] = arith.truncf %[[D]] : f32 to f16
    // CHECK-NEXT: cpu.yield %[[W]], %[[OLD]], %[[SUM]], %[[X]], %[[OLD]], %[[SUM]], %[[TOP]] : f16, f32, f32, f16, f32, f32, f32
    // CHECK-NEXT: }, {
    // CHECK-NEXT: ^bb0(%[[P:.*]]: f32):
    // CHECK-NEXT: cpu.yield %[[P]] : f32
    // CHECK-NEXT: }, {
    // CHECK-NEXT: ^bb0(%[[Q:.*]]: f32, %[[V:.*]]: f32):
    // CHECK-NEXT: %[[Y:.*]] = arith.addf %[[Q]], %[[V]] : f32
    // CHECK-NEXT: cpu.yield %[[Y]] : f32
    // CHECK-NEXT: } : memref<1x64xf32, #aicore.space<ub>>
    cpu.chain size(%m of %m, %m) a(%a[%m, %block] along [0, 1], %a[%m, %block] along [0, 1] : !gm, !gm) b(%a[%m, %block] along [1, 0], %a[%m, %block] along [1, 0] : !gm, !gm) depths(%block, %m) v(%a[%m, %block] along [0, 1], %a[%m, %block] along [0, 1] : !gm, !gm) columns(%block, %m) ins(%bias[%block] along [-1, 0] : !gm_row) outs(%bias[%m] along [0, -1] : !gm_row) behind(%bias[%block] along [-1, 0] : !gm_row) results(%c[%m, %block] along [0, 1], %c[%m, %block] along [0, 1] : !gm_out, !gm_out) scratch(%row) {
    ^bb0(%e: f32, %d: f32, %b: f32):
      %top = cpu.reduce max %e from 0xFF800000 : f32 -> f32
      %old = cpu.before %top from %top : f32
      %sum = cpu.reduce add %b from 0.0 : f32 times %old -> f32
      %w = arith.truncf %e : f32 to f16
      %x = arith.truncf %d : f32 to f16
      cpu.yield %w, %old, %sum, %x, %old, %sum, %top : f16, f32, f32, f16, f32, f32, f32
    }, {
    ^bb0(%p: f32):
      cpu.yield %p : f32
    }, {
    ^bb0(%p: f32, %v: f32):
      %y = arith.addf %p, %v : f32
      cpu.yield %y : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}
