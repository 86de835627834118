// Operands of vector instructions in the same banks of UB: 16 groups of banks of 4096 bytes, in rows
// of 32 bytes. 256 bytes are reserved at the beginning, so an offset of 65280 is the address 65536,
// from where on rows go to the second bank of each group.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file \
// RUN:   --aicore-select-vector --aicore-bank-conflicts

// x and y from the same groups, and z to the same banks as x: as in the vendor's example of a
// conflict, 16 KiB apart.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {ub = [196352, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 6, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
    ^bb0(%block: index):
      %x = aicore.alloc "x" of "ub" copies 1 at 0 : memref<16x256xf32, #aicore.space<ub>>
      %y = aicore.alloc "y" of "ub" copies 1 at 16384 : memref<16x256xf32, #aicore.space<ub>>
      %z = aicore.alloc "z" of "ub" copies 1 at 32768 : memref<16x256xf32, #aicore.space<ub>>
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        // expected-remark @+3 {{bank conflict: x (at 0) is read while y (at 16384) is read from the same bank groups of ub, in 64 of 64 repeats of the instruction; the clock does not count what it costs}}
        // expected-remark @+2 {{bank conflict: x (at 0) is read while z (at 32768) is written to the same banks of ub, in 64 of 64 repeats}}
        // expected-remark @+1 {{bank conflict: y (at 16384) is read while z (at 32768) is written to the same banks of ub, in 64 of 64 repeats}}
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

// Its solution: y half of the groups farther, z in the second bank of each group.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {ub = [196352, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 6, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
    ^bb0(%block: index):
      %x = aicore.alloc "x" of "ub" copies 1 at 0 : memref<16x256xf32, #aicore.space<ub>>
      %y = aicore.alloc "y" of "ub" copies 1 at 16640 : memref<16x256xf32, #aicore.space<ub>>
      %z = aicore.alloc "z" of "ub" copies 1 at 65280 : memref<16x256xf32, #aicore.space<ub>>
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

// Read and written operands are apart in the groups. The column with one element for each row is
// not, but is a scalar to the instruction. An operation in place is no conflict either.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {ub = [196352, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 6, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
    ^bb0(%block: index):
      %x = aicore.alloc "x" of "ub" copies 1 at 0 : memref<16x256xf32, #aicore.space<ub>>
      %y = aicore.alloc "y" of "ub" copies 1 at 16384 : memref<1x16xf32, #aicore.space<ub>>
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        aicore.vector ins(%x[%c0] full, %y[%c0] column : memref<16x256xf32, #aicore.space<ub>>, memref<1x16xf32, #aicore.space<ub>>) outs(%x[%c0] : memref<16x256xf32, #aicore.space<ub>>) size(%c16, %c16) {
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %a, %b : f32
          aicore.yield %s : f32
        }
      }
    }
  }
}

// -----

// This machine's description has no banks.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {ub = [196352, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 6, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
    ^bb0(%block: index):
      %x = aicore.alloc "x" of "ub" copies 1 at 0 : memref<16x256xf32, #aicore.space<ub>>
      %z = aicore.alloc "z" of "ub" copies 1 at 16384 : memref<16x256xf32, #aicore.space<ub>>
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        aicore.vector ins(%x[%c0] full : memref<16x256xf32, #aicore.space<ub>>) outs(%z[%c0] : memref<16x256xf32, #aicore.space<ub>>) size(%c16, %c16) {
        ^bb0(%a: f32):
          %s = arith.addf %a, %a : f32
          aicore.yield %s : f32
        }
      }
    }
  }
}
