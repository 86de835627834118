// Every op and attribute of the aicore dialect is read back as it was printed, in its own syntax
// and in the generic one.
// RUN: mmk-opt %s | mmk-opt | FileCheck %s
// RUN: mmk-opt %s --mlir-print-op-generic | mmk-opt | FileCheck %s

!gm = memref<?x?xf16, #aicore.space<gm>>
!gm_row = memref<?xf32, #aicore.space<gm>>
!gm_out = memref<?x?xf32, #aicore.space<gm>>
!a_l1 = memref<128x256xf16, #aicore.space<l1>>
!b_l1 = memref<256x64xf16, #aicore.space<l1>>
!a_l0 = memref<128x64xf16, #aicore.space<l0a>>
!b_l0 = memref<64x64xf16, #aicore.space<l0b>>
!acc = memref<128x64xf32, #aicore.space<l0c>>
!tile = memref<128x64xf32, #aicore.space<gm>>
!y = memref<32x64xf32, #aicore.space<ub>>
!row = memref<1x64xf32, #aicore.space<ub>>

// CHECK: module attributes {aicore.machine = #aicore.machine<"tiny", coupled, cores = 2, vector_cores = 1,
// CHECK-SAME: memories = {l1 = [4096, 32], ub = [1024, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 6, cross_flags = 16 leaky_relu 32>}
module attributes {aicore.machine = #aicore.machine<"tiny", coupled, cores = 2, vector_cores = 1,
    memories = {l1 = [4096, 32], ub = [1024, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16 leaky_relu 32>} {

// Structure. Arguments are named after dimensions, parameters and results; buffers after their name
// and memory; a workspace after its name.
// CHECK-LABEL: aicore.kernel @structure dims ["M", "N"]
// CHECK-SAME:    args [#mmk.named<"a"["M", "N"]>, #mmk.named<"alpha">] results [#mmk.named<"c"["M", "N"]>]
// CHECK-SAME:    cores 2 buffers {l1 = 2 : i64, l1.a = 3 : i64} {
// CHECK-NEXT:  ^bb0(%M: index, %N: index, %a: memref<?x?xf16, #aicore.space<gm>>, %alpha: f32, %c: memref<?x?xf32, #aicore.space<gm>>):
aicore.kernel @structure dims ["M", "N"]
    args [#mmk.named<"a"["M", "N"]>, #mmk.named<"alpha">] results [#mmk.named<"c"["M", "N"]>]
    cores 2 buffers {l1 = 2 : i64, l1.a = 3 : i64} {
^bb0(%0: index, %1: index, %2: !gm, %3: f32, %4: !gm_out):
  // CHECK-NEXT: %h = aicore.workspace "h" [%M, %N] : memref<?x?xf16, #aicore.space<gm>>
  %5 = aicore.workspace "h" [%0, %1] : !gm
  // CHECK-NEXT: aicore.phase {
  // CHECK-NEXT: ^bb0(%block: index):
  aicore.phase {
  ^bb0(%6: index):
    // Without an offset, and with one.
    // CHECK-NEXT: %a_l1 = aicore.alloc "a" of "l1" copies 3 : memref<128x256xf16, #aicore.space<l1>>
    %7 = aicore.alloc "a" of "l1" copies 3 : !a_l1
    // CHECK-NEXT: %y_ub = aicore.alloc "y" of "ub" copies 1 at 64 : memref<32x64xf32, #aicore.space<ub>>
    %8 = aicore.alloc "y" of "ub" copies 1 at 64 : !y
    // CHECK-NEXT: aicore.slot %block of %a_l1 : memref<128x256xf16, #aicore.space<l1>>
    %9 = aicore.slot %6 of %7 : !a_l1
    // CHECK-NEXT: aicore.vector_cores 2 {
    // CHECK-NEXT: ^bb0(%v: index):
    aicore.vector_cores 2 {
    ^bb0(%10: index):
      // CHECK-NEXT: aicore.slot %v of %y_ub
      %11 = aicore.slot %10 of %8 : !y
    }
  }
// CHECK: } attributes {variant = "cores=2"}
} attributes {variant = "cores=2"}

// Markers of transfers and loops, which later passes replace.
// CHECK-LABEL: aicore.kernel @placing
aicore.kernel @placing dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  %empty = tensor.empty(%m, %m) : tensor<?x?xf32>
  aicore.phase {
  ^bb0(%block: index):
    %y = aicore.alloc "y" of "ub" copies 1 : !y
    // CHECK: aicore.place %{{.*}} in %y_ub : tensor<?x?xf32> in memref<32x64xf32, #aicore.space<ub>>
    %0 = aicore.place %empty in %y : tensor<?x?xf32> in !y
    // CHECK: aicore.vector_work %block size(%M, %M) at(%block) steps 2 height 32 {
    // CHECK-NEXT: ^bb0(%row: index, %rows: index, %column: index, %columns: index, %step: index):
    aicore.vector_work %block size(%m, %m) at(%block) steps 2 height 32 {
    ^bb0(%row: index, %rows: index, %column: index, %columns: index, %step: index):
    }
    // CHECK: aicore.vector_work %block size(%M, %M) at(%block) steps 1 height 1 by_columns {
    aicore.vector_work %block size(%m, %m) at(%block) steps 1 height 1 by_columns {
    ^bb0(%row: index, %rows: index, %column: index, %columns: index, %step: index):
    }
  }
}

// Instructions of a cube core.
// CHECK-LABEL: aicore.kernel @cube
aicore.kernel @cube dims ["M"] args [#mmk.named<"a"["M", "M"]>] results [#mmk.named<"c"["M", "M"]>]
    cores 1 buffers {} {
^bb0(%m: index, %a: !gm, %c: !gm_out):
  aicore.phase {
  ^bb0(%block: index):
    %a_l1 = aicore.alloc "a" of "l1" copies 1 : !a_l1
    %b_l1 = aicore.alloc "b" of "l1" copies 1 : !b_l1
    %a_l0 = aicore.alloc "a" of "l0" copies 1 : !a_l0
    %b_l0 = aicore.alloc "b" of "l0" copies 1 : !b_l0
    %acc = aicore.alloc "acc" of "acc" copies 1 : !acc
    %tile = aicore.alloc "acc" of "out" copies 1 : !tile
    %s = arith.constant 0 : index
    %first = arith.constant true
    // CHECK: aicore.load %a[%M, %block] along [0, 1] size(%M, %M) -> %a_l1[%[[S:.*]]] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<128x256xf16, #aicore.space<l1>>
    aicore.load %a[%m, %block] along [0, 1] size(%m, %m) -> %a_l1[%s] pad 16 : !gm -> !a_l1
    // CHECK-NEXT: aicore.load %a[%M, %block] along [0, 0, 1] step [2, 1, 1] size(%M, %M, %M) -> %a_l1[%[[S]]] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<128x256xf16, #aicore.space<l1>>
    aicore.load %a[%m, %block] along [0, 0, 1] step [2, 1, 1] size(%m, %m, %m) -> %a_l1[%s] pad 16 : !gm -> !a_l1
    // CHECK-NEXT: aicore.load %a[%M, %block] along [0, 0, 1] step [2, 1, 1] clipped size(%M, %M, %M) -> %a_l1[%[[S]]] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<128x256xf16, #aicore.space<l1>>
    aicore.load %a[%m, %block] along [0, 0, 1] step [2, 1, 1] clipped size(%m, %m, %m) -> %a_l1[%s] pad 16 : !gm -> !a_l1
    // CHECK-NEXT: aicore.load3d %a_l1[%[[S]]] image(%M, %M) taps(%M, %M) top(%block) by(%M) first(%M) depth(%M) size(%M, %M) stride [2, 1] dilation [1, 3] left 1 block 16 -> %a_l0a[%[[S]]] : memref<128x256xf16, #aicore.space<l1>> -> memref<128x64xf16, #aicore.space<l0a>>
    aicore.load3d %a_l1[%s] image(%m, %m) taps(%m, %m) top(%block) by(%m) first(%m) depth(%m) size(%m, %m) stride [2, 1] dilation [1, 3] left 1 block 16 -> %a_l0[%s] : !a_l1 -> !a_l0
    // CHECK-NEXT: aicore.load_l0 %a_l1[%[[S]]] at(%block, %block) size(%M, %M) -> %a_l0a[%[[S]]] : memref<128x256xf16, #aicore.space<l1>> -> memref<128x64xf16, #aicore.space<l0a>>
    aicore.load_l0 %a_l1[%s] at(%block, %block) size(%m, %m) -> %a_l0[%s] : !a_l1 -> !a_l0
    // CHECK-NEXT: aicore.load_l0 %b_l1[%[[S]]] at(%block, %block) size(%M, %M) transposed -> %b_l0b[%[[S]]]
    aicore.load_l0 %b_l1[%s] at(%block, %block) size(%m, %m) transposed -> %b_l0[%s] : !b_l1 -> !b_l0
    // CHECK-NEXT: aicore.mmad %a_l0a[%[[S]]], %b_l0b[%[[S]]] -> %acc_l0c[%[[S]]] size(%M, %M, %M) first(%{{.*}}) : memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>> -> memref<128x64xf32, #aicore.space<l0c>>
    aicore.mmad %a_l0[%s], %b_l0[%s] -> %acc[%s] size(%m, %m, %m) first(%first) : !a_l0, !b_l0 -> !acc
    // The fixpipe converts: its element types may differ.
    // CHECK-NEXT: aicore.fixpipe %acc_l0c[%[[S]]] -> %a[%M, %block] along [0, 1] size(%M, %M) : memref<128x64xf32, #aicore.space<l0c>> -> memref<?x?xf16, #aicore.space<gm>>
    aicore.fixpipe %acc[%s] -> %a[%m, %block] along [0, 1] size(%m, %m) : !acc -> !gm
    // CHECK-NEXT: aicore.fixpipe %acc_l0c[%[[S]]] -> %a[%M, %block] along [0, 1] size(%M, %M) relu : memref<128x64xf32, #aicore.space<l0c>> -> memref<?x?xf16, #aicore.space<gm>>
    aicore.fixpipe %acc[%s] -> %a[%m, %block] along [0, 1] size(%m, %m) relu : !acc -> !gm
    // CHECK-NEXT: %[[SLOPE:.*]] = arith.constant 1.000000e-01 : f32
    %slope = arith.constant 0.1 : f32
    // CHECK-NEXT: aicore.fixpipe %acc_l0c[%[[S]]] -> %a[%M, %block] along [0, 1] size(%M, %M) leaky_relu(%[[SLOPE]] bits 32) : memref<128x64xf32, #aicore.space<l0c>> -> memref<?x?xf16, #aicore.space<gm>>
    aicore.fixpipe %acc[%s] -> %a[%m, %block] along [0, 1] size(%m, %m) leaky_relu(%slope bits 32) : !acc -> !gm
    // CHECK-NEXT: aicore.spill %acc_l0c[%[[S]]] size(%M, %M) -> %acc_gm[%[[S]]] : memref<128x64xf32, #aicore.space<l0c>> -> memref<128x64xf32, #aicore.space<gm>>
    aicore.spill %acc[%s] size(%m, %m) -> %tile[%s] : !acc -> !tile
  }
}

// An accumulator in parts: all of it, or one part, which may be stored by itself.
// CHECK-LABEL: aicore.kernel @parts
aicore.kernel @parts dims ["M"] args [] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %c: !gm_out):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "l0" copies 1 : !a_l0
    %b_l0 = aicore.alloc "b" of "l0" copies 1 : !b_l0
    // CHECK: %acc_l0c = aicore.alloc "acc" of "acc" copies 2 parts 2 at 1024 : memref<128x64xf32, #aicore.space<l0c>>
    %acc = aicore.alloc "acc" of "acc" copies 2 parts 2 at 1024 : !acc
    %half = aicore.alloc "acc" of "out" copies 1 : memref<128x32xf32, #aicore.space<gm>>
    %x = aicore.alloc "x" of "ub" copies 1 : !y
    %s = aicore.slot %block of %acc : !acc
    %one = arith.constant 1 : index
    %first = arith.constant true
    // CHECK: aicore.producer_acquire %acc_l0c[%[[S:.*]]] part 1 : memref<128x64xf32, #aicore.space<l0c>>
    aicore.producer_acquire %acc[%s] part 1 : !acc
    // CHECK-NEXT: aicore.mmad %a_l0a[%c1], %b_l0b[%c1] -> %acc_l0c[%[[S]]] part 1 size(%M, %M, %M) first(%{{.*}}) : {{.*}}
    aicore.mmad %a_l0[%one], %b_l0[%one] -> %acc[%s] part 1 size(%m, %m, %m) first(%first) : !a_l0, !b_l0 -> !acc
    // CHECK-NEXT: aicore.producer_commit %acc_l0c[%[[S]]] part 1 : memref<128x64xf32, #aicore.space<l0c>>
    aicore.producer_commit %acc[%s] part 1 : !acc
    // CHECK-NEXT: aicore.fixpipe %acc_l0c[%[[S]]] part 1 -> %c[%M, %block]
    aicore.fixpipe %acc[%s] part 1 -> %c[%m, %block] along [0, 1] size(%m, %m) : !acc -> !gm_out
    // CHECK-NEXT: aicore.spill %acc_l0c[%[[S]]] part 0 size(%M, %M) -> %acc_gm[%c1]
    aicore.spill %acc[%s] part 0 size(%m, %m) -> %half[%one] : !acc -> memref<128x32xf32, #aicore.space<gm>>
    // CHECK-NEXT: aicore.drain %acc_l0c[%[[S]]] part 0 at(%block) size(%M, %M) -> %x_ub[%c1]
    aicore.drain %acc[%s] part 0 at(%block) size(%m, %m) -> %x[%one] : !acc -> !y
  }
}

// Instructions of a vector core.
// CHECK-LABEL: aicore.kernel @vector
aicore.kernel @vector dims ["M"] args [#mmk.named<"bias"["M"]>, #mmk.named<"alpha">] results [#mmk.named<"c"["M", "M"]>]
    cores 1 buffers {} {
^bb0(%m: index, %bias: !gm_row, %alpha: f32, %c: !gm_out):
  aicore.phase {
  ^bb0(%block: index):
    %tile = aicore.alloc "acc" of "out" copies 1 : !tile
    %acc = aicore.alloc "acc" of "acc" copies 1 : !acc
    %x = aicore.alloc "x" of "ub" copies 2 : !y
    %b = aicore.alloc "b" of "ub" copies 1 : !row
    %y = aicore.alloc "y" of "out" copies 2 : !y
    %z = aicore.alloc "z" of "out" copies 2 : !y
    %scratch = aicore.alloc "scratch" of "scratch" copies 1 : !y
    %c0 = arith.constant 0 : index
    %s = aicore.slot %block of %x : !y
    %t = aicore.slot %block of %b : !row
    // A row: the rows of the buffer are along no dimension of the tensor.
    // CHECK: %[[S:.*]] = aicore.slot %block of %x_ub
    // CHECK: %[[T:.*]] = aicore.slot %block of %b_ub
    // CHECK-NEXT: aicore.load %bias[%block] along [-1, 0] size(%M, %M) -> %b_ub[%[[T]]] pad 1 : memref<?xf32, #aicore.space<gm>> -> memref<1x64xf32, #aicore.space<ub>>
    aicore.load %bias[%block] along [-1, 0] size(%m, %m) -> %b[%t] pad 1 : !gm_row -> !row
    // CHECK-NEXT: aicore.fetch %acc_gm[%c0] at(%block) size(%M, %M) -> %x_ub[%[[S]]] : memref<128x64xf32, #aicore.space<gm>> -> memref<32x64xf32, #aicore.space<ub>>
    aicore.fetch %tile[%c0] at(%block) size(%m, %m) -> %x[%s] : !tile -> !y
    // CHECK-NEXT: aicore.spill %x_ub[%[[S]]] size(%M, %M) -> %acc_gm[%c0] at(%block) : memref<32x64xf32, #aicore.space<ub>> -> memref<128x64xf32, #aicore.space<gm>>
    aicore.spill %x[%s] size(%m, %m) -> %tile[%c0] at(%block) : !y -> !tile
    // CHECK-NEXT: aicore.drain %acc_l0c[%c0] at(%block) size(%M, %M) -> %x_ub[%[[S]]] : memref<128x64xf32, #aicore.space<l0c>> -> memref<32x64xf32, #aicore.space<ub>>
    aicore.drain %acc[%c0] at(%block) size(%m, %m) -> %x[%s] : !acc -> !y
    // Two outputs, scratch, a scalar of the kernel used from above, two broadcasts.
    // CHECK-NEXT: aicore.vector ins(%x_ub[%[[S]]] full, %b_ub[%[[T]]] row : memref<32x64xf32, #aicore.space<ub>>, memref<1x64xf32, #aicore.space<ub>>)
    // CHECK-SAME:   outs(%y_ub[%c0], %z_ub[%c0] : memref<32x64xf32, #aicore.space<ub>>, memref<32x64xf32, #aicore.space<ub>>)
    // CHECK-SAME:   scratch(%scratch_ub[0] : memref<32x64xf32, #aicore.space<ub>>) size(%M, %M) {
    // CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[B:.*]]: f32):
    // CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[X]], %[[B]]
    // CHECK-NEXT:   %[[SCALED:.*]] = arith.mulf %alpha, %[[SUM]]
    // CHECK-NEXT:   aicore.yield %[[SUM]], %[[SCALED]] : f32, f32
    // CHECK-NEXT: }
    aicore.vector ins(%x[%s] full, %b[%t] row : !y, !row) outs(%y[%c0], %z[%c0] : !y, !y) scratch(%scratch[0] : !y) size(%m, %m) {
    ^bb0(%e: f32, %f: f32):
      %sum = arith.addf %e, %f : f32
      %scaled = arith.mulf %alpha, %sum : f32
      aicore.yield %sum, %scaled : f32, f32
    }
    // The other two broadcasts.
    // CHECK-NEXT: aicore.vector ins(%b_ub[%[[T]]] column, %b_ub[%[[T]]] single : {{.*}}) outs(%y_ub[%c0] : {{.*}}) size(%M, %M) {
    aicore.vector ins(%b[%t] column, %b[%t] single : !row, !row) outs(%y[%c0] : !y) size(%m, %m) {
    ^bb0(%e: f32, %f: f32):
      aicore.yield %f : f32
    }
    // No input: a tile of one value. No scratch.
    // CHECK: aicore.vector ins() outs(%z_ub[%c0] : memref<32x64xf32, #aicore.space<ub>>) size(%M, %M) {
    aicore.vector ins() outs(%z[%c0] : !y) size(%m, %m) {
      aicore.yield %alpha : f32
    }
    // Instructions, each on tiles; a tile has the name of its buffer.
    // CHECK: aicore.vector ins(%x_ub[%[[S]]] full, %b_ub[%[[T]]] row : {{.*}}) outs(%y_ub[%c0] :
    // CHECK-SAME:   scratch(%scratch_ub[0], %mask_ub[1] : memref<32x64xf32, #aicore.space<ub>>, memref<32x8xi8, #aicore.space<ub>>) size(%M, %M) {
    // CHECK-NEXT: ^bb0(%x: !aicore.tile<f32>, %b: !aicore.tile<f32>, %y: !aicore.tile<f32>, %scratch: !aicore.tile<f32>, %mask: !aicore.tile<i1>):
    // CHECK-NEXT:   aicore.vec add %x, %b -> %scratch : !aicore.tile<f32>, !aicore.tile<f32> -> !aicore.tile<f32>
    // CHECK-NEXT:   aicore.vec compare olt %scratch, %alpha -> %mask : !aicore.tile<f32>, f32 -> !aicore.tile<i1>
    // CHECK-NEXT:   aicore.vec select %mask, %scratch, %x -> %y : !aicore.tile<i1>, !aicore.tile<f32>, !aicore.tile<f32> -> !aicore.tile<f32>
    // CHECK-NEXT:   aicore.yield
    // CHECK-NEXT: }
    %mask = aicore.alloc "mask" of "scratch" copies 2 : memref<32x8xi8, #aicore.space<ub>>
    aicore.vector ins(%x[%s] full, %b[%t] row : !y, !row) outs(%y[%c0] : !y) scratch(%scratch[0], %mask[1] : !y, memref<32x8xi8, #aicore.space<ub>>) size(%m, %m) {
    ^bb0(%0: !aicore.tile<f32>, %1: !aicore.tile<f32>, %2: !aicore.tile<f32>, %3: !aicore.tile<f32>, %4: !aicore.tile<i1>):
      aicore.vec add %0, %1 -> %3 : !aicore.tile<f32>, !aicore.tile<f32> -> !aicore.tile<f32>
      aicore.vec compare olt %3, %alpha -> %4 : !aicore.tile<f32>, f32 -> !aicore.tile<i1>
      aicore.vec select %4, %3, %0 -> %2 : !aicore.tile<i1>, !aicore.tile<f32>, !aicore.tile<f32> -> !aicore.tile<f32>
      aicore.yield
    }
    // CHECK: aicore.store %y_ub[%c0] -> %c[%M, %block] along [0, 1] size(%M, %M) : memref<32x64xf32, #aicore.space<ub>> -> memref<?x?xf32, #aicore.space<gm>>
    aicore.store %y[%c0] -> %c[%m, %block] along [0, 1] size(%m, %m) : !y -> !gm_out
  }
}

// Flags, cross-core flags and barriers, with every pipe.
// CHECK-LABEL: aicore.kernel @sync
aicore.kernel @sync dims [] args [] results [] cores 1 buffers {} {
  aicore.phase {
  ^bb0(%block: index):
    // CHECK:      aicore.set_flag [mte2 -> mte1] 0 + %block
    aicore.set_flag [mte2 -> mte1] 0 + %block
    // CHECK-NEXT: aicore.wait_flag [mte2 -> mte1] 0 + %block
    aicore.wait_flag [mte2 -> mte1] 0 + %block
    // CHECK-NEXT: aicore.set_flag [scalar -> cube] 3 + %block
    aicore.set_flag [scalar -> cube] 3 + %block
    // CHECK-NEXT: aicore.set_cross fixpipe to vector 0 + %block
    aicore.set_cross fixpipe to vector 0 + %block
    // CHECK-NEXT: aicore.wait_cross fixpipe from vector 2 + %block
    aicore.wait_cross fixpipe from vector 2 + %block
    // CHECK-NEXT: aicore.barrier mte3
    aicore.barrier mte3
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      // CHECK: aicore.wait_cross mte2 from cube 0 + %block
      aicore.wait_cross mte2 from cube 0 + %block
      // CHECK-NEXT: aicore.set_cross mte2 to cube 2 + %block
      aicore.set_cross mte2 to cube 2 + %block
      // CHECK-NEXT: aicore.barrier vector
      aicore.barrier vector
    }
  }
}
}

// A product that starts from a row in the bias table, which is free again after it; a variant that
// is legal up to M = 512.
// CHECK-LABEL: aicore.kernel @bias
// CHECK-SAME: cores 1 buffers {} limits {M = 512 : i64}
!row_l1 = memref<1x64xf32, #aicore.space<l1>>
!row_bt = memref<1x64xf32, #aicore.space<bt>>
aicore.kernel @bias dims ["M"] args [] results [] cores 1 buffers {} limits {M = 512} {
^bb0(%m: index):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "l0" copies 1 : !a_l0
    %b_l0 = aicore.alloc "b" of "l0" copies 1 : !b_l0
    %acc = aicore.alloc "acc" of "acc" copies 1 : !acc
    %row = aicore.alloc "bias" of "l1" copies 1 : !row_l1
    // CHECK: %bias_bt = aicore.alloc "bias" of "bt" copies 2 at 64 : memref<1x64xf32, #aicore.space<bt>>
    %table = aicore.alloc "bias" of "bt" copies 2 at 64 : !row_bt
    %s = aicore.slot %block of %table : !row_bt
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %first = arith.constant true
    // CHECK: aicore.load_l0 %bias_l1[%c0] at(%c0, %c0) size(%c1, %M) -> %bias_bt[%[[S:.*]]] : memref<1x64xf32, #aicore.space<l1>> -> memref<1x64xf32, #aicore.space<bt>>
    aicore.load_l0 %row[%zero] at(%zero, %zero) size(%one, %m) -> %table[%s] : !row_l1 -> !row_bt
    // CHECK-NEXT: aicore.mmad %a_l0a[%c0], %b_l0b[%c0] -> %acc_l0c[%c0] size(%M, %M, %M) first(%{{.*}}) bias(%bias_bt[%[[S]]] : memref<1x64xf32, #aicore.space<bt>>) : {{.*}}
    aicore.mmad %a_l0[%zero], %b_l0[%zero] -> %acc[%zero] size(%m, %m, %m) first(%first) bias(%table[%s] : !row_bt) : !a_l0, !b_l0 -> !acc
    // CHECK-NEXT: aicore.release %bias_bt[%[[S]]] : memref<1x64xf32, #aicore.space<bt>>
    aicore.release %table[%s] : !row_bt
  }
}

// What fills a buffer with generated elements.
// CHECK-LABEL: aicore.kernel @generated
!gen_f32 = memref<32x64xf32, #aicore.space<ub>>
!gen_i32 = memref<1x64xi32, #aicore.space<ub>>
!gen_x = memref<?x?xf32, #aicore.space<gm>>
aicore.kernel @generated dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>, #mmk.named<"seed">] results []
    cores 1 buffers {} {
^bb0(%m: index, %n: index, %x: !gen_x, %seed: i32):
  aicore.phase {
  ^bb0(%block: index):
    %w = aicore.alloc "w" of "ub" copies 1 : !gen_f32
    %p = aicore.alloc "p" of "ub" copies 1 : !gen_i32
    %zero = arith.constant 0.0 : f32
    %zero_index = arith.constant 0 : index
    // CHECK: aicore.load %x[%c0, %M] along [-1, 1] joined 2 size(%c1, %N) -> %w_ub[%block] pad 1 : memref<?x?xf32, #aicore.space<gm>> -> memref<32x64xf32, #aicore.space<ub>>
    %one_index = arith.constant 1 : index
    aicore.load %x[%zero_index, %m] along [-1, 1] joined 2 size(%one_index, %n) -> %w[%block] pad 1 : !gen_x -> !gen_f32
    // CHECK: aicore.window %x at #{{.*}}(%N) pad %{{.*}} : f32 size(%M, %N) -> %w_ub[%block] : memref<?x?xf32, #aicore.space<gm>> -> memref<32x64xf32, #aicore.space<ub>>
    aicore.window %x at affine_map<(r, c)[n] -> (r + n, c - 1)> (%n) pad %zero : f32 size(%m, %n) -> %w[%block] : !gen_x -> !gen_f32
    // CHECK-NEXT: aicore.positions from %M size(%N) -> %p_ub[%block] : memref<1x64xi32, #aicore.space<ub>>
    aicore.positions from %m size(%n) -> %p[%block] : !gen_i32
    // CHECK-NEXT: aicore.random %seed from %M step(%N, %M) size(%M, %N) -> %w_ub[%block] : memref<32x64xf32, #aicore.space<ub>>
    aicore.random %seed from %m step(%n, %m) size(%m, %n) -> %w[%block] : !gen_f32
    %c = aicore.alloc "c" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // CHECK: aicore.scan %w_ub[%block] size(%M, %N) by_rows carry %c_ub[%block] -> %w_ub[%block] : memref<32x64xf32, #aicore.space<ub>>, memref<1x64xf32, #aicore.space<ub>> -> memref<32x64xf32, #aicore.space<ub>>
    aicore.scan %w[%block] size(%m, %n) by_rows carry %c[%block] -> %w[%block] : !gen_f32, memref<1x64xf32, #aicore.space<ub>> -> !gen_f32
  }
}

// Bounds of loops that the scalar unit reads.
!lengths = memref<?x?xi32, #aicore.space<gm>>

// CHECK-LABEL: aicore.kernel @bounds
aicore.kernel @bounds dims ["B", "M"] args [#mmk.named<"lengths"["B", "M"]>, #mmk.named<"length">] results [] cores 1 buffers {} {
^bb0(%b: index, %m: index, %lengths: !lengths, %length: i32):
  aicore.phase {
  ^bb0(%block: index):
    // CHECK: %least, %greatest = aicore.scalar_range %lengths[%block, %block] along 1 size(%M) absent [-2147483648, 2147483647] : memref<?x?xi32, #aicore.space<gm>>
    %least, %greatest = aicore.scalar_range %lengths[%block, %block] along 1 size(%m) absent [-2147483648, 2147483647] : !lengths
    // CHECK-NEXT: aicore.scalar_range %lengths[%least, %greatest] along -1 size(%M) absent [0, 0] : memref<?x?xi32, #aicore.space<gm>>
    %0:2 = aicore.scalar_range %lengths[%least, %greatest] along -1 size(%m) absent [0, 0] : !lengths
    // CHECK-NEXT: aicore.scalar_bound %length absent -2147483648
    %1 = aicore.scalar_bound %length absent -2147483648
  }
}
