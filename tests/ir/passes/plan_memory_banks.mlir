// Operands of one vector instruction are placed in different banks of UB where there is room.
// RUN: mmk-opt %s -split-input-file --aicore-select-vector --aicore-plan-memory | FileCheck %s

// y half of the groups after x, z in the second bank of each group; 256 bytes are reserved.
// CHECK-LABEL: aicore.kernel @roomy
// CHECK: aicore.alloc "x" of "ub" copies 1 at 0
// CHECK: aicore.alloc "y" of "ub" copies 1 at 16640
// CHECK: aicore.alloc "z" of "ub" copies 1 at 65280
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {ub = [196352, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 6, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @roomy dims ["K"] args [] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
    ^bb0(%block: index):
      %x = aicore.alloc "x" of "ub" copies 1 : memref<16x256xf32, #aicore.space<ub>>
      %y = aicore.alloc "y" of "ub" copies 1 : memref<16x256xf32, #aicore.space<ub>>
      %z = aicore.alloc "z" of "ub" copies 1 : memref<16x256xf32, #aicore.space<ub>>
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        aicore.vector ins(%x[%c0] full, %y[%c0] full : memref<16x256xf32, #aicore.space<ub>>, memref<16x256xf32, #aicore.space<ub>>) outs(%z[%c0] : memref<16x256xf32, #aicore.space<ub>>) size(%c16, %c16) {
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %a, %b : f32
          aicore.yield %s : f32
        }
      }
    }
  }
}

// -----

// No room to move anything: they are one after the other.
// CHECK-LABEL: aicore.kernel @tight
// CHECK: aicore.alloc "x" of "ub" copies 1 at 0
// CHECK: aicore.alloc "y" of "ub" copies 1 at 16384
// CHECK: aicore.alloc "z" of "ub" copies 1 at 32768
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {ub = [49152, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 6, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @tight dims ["K"] args [] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
    ^bb0(%block: index):
      %x = aicore.alloc "x" of "ub" copies 1 : memref<16x256xf32, #aicore.space<ub>>
      %y = aicore.alloc "y" of "ub" copies 1 : memref<16x256xf32, #aicore.space<ub>>
      %z = aicore.alloc "z" of "ub" copies 1 : memref<16x256xf32, #aicore.space<ub>>
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        aicore.vector ins(%x[%c0] full, %y[%c0] full : memref<16x256xf32, #aicore.space<ub>>, memref<16x256xf32, #aicore.space<ub>>) outs(%z[%c0] : memref<16x256xf32, #aicore.space<ub>>) size(%c16, %c16) {
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %a, %b : f32
          aicore.yield %s : f32
        }
      }
    }
  }
}
