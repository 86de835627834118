// Programs that the proof accepts, and its remarks on redundant flags.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --aicore-verify-sync=redundant=true

// One slot: filled before it is read, free before it is filled again.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %a = aicore.alloc "a" of "l1" copies 1 at 0 : memref<16x16xf16, #aicore.space<l1>>
      %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
      aicore.set_flag [mte1 -> mte2] 0 + %c0
      scf.for %i = %c0 to %K step %c16 {
        aicore.wait_flag [mte1 -> mte2] 0 + %c0
        aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %a[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
        aicore.set_flag [mte2 -> mte1] 0 + %c0
        aicore.wait_flag [mte2 -> mte1] 0 + %c0
        aicore.load_l0 %a[%c0] at(%c0, %c0) size(%c16, %c16) -> %a0[%c0] : memref<16x16xf16, #aicore.space<l1>> -> memref<16x16xf16, #aicore.space<l0a>>
        aicore.set_flag [mte1 -> mte2] 0 + %c0
      }
      aicore.wait_flag [mte1 -> mte2] 0 + %c0
    }
  }
}

// -----

// The order is transitive over flags: the third pair adds nothing to the first two.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %a = aicore.alloc "a" of "l1" copies 1 at 0 : memref<16x16xf16, #aicore.space<l1>>
      %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
      aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %a[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
      aicore.set_flag [mte2 -> mte1] 0 + %c0
      aicore.wait_flag [mte2 -> mte1] 0 + %c0
      aicore.load_l0 %a[%c0] at(%c0, %c0) size(%c16, %c16) -> %a0[%c0] : memref<16x16xf16, #aicore.space<l1>> -> memref<16x16xf16, #aicore.space<l0a>>
      aicore.set_flag [mte1 -> mte2] 0 + %c0
      aicore.wait_flag [mte1 -> mte2] 0 + %c0
      aicore.set_flag [mte2 -> mte1] 1 + %c0
      // expected-remark @+1 {{redundant: without this wait and its set, every hazard is still in order}}
      aicore.wait_flag [mte2 -> mte1] 1 + %c0
      aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %a[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
    }
  }
}

// -----

// The pair is needed where the loop runs twice, and is not remarked; the other one never is.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %a = aicore.alloc "a" of "l1" copies 1 at 0 : memref<16x16xf16, #aicore.space<l1>>
      %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
      aicore.set_flag [mte1 -> mte2] 0 + %c0
      scf.for %i = %c0 to %K step %c16 {
        aicore.wait_flag [mte1 -> mte2] 0 + %c0
        aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %a[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
        aicore.set_flag [mte2 -> mte1] 0 + %c0
        aicore.wait_flag [mte2 -> mte1] 0 + %c0
        aicore.set_flag [mte1 -> mte2] 1 + %c0
        // expected-remark @+1 {{redundant: without this wait and its set, every hazard is still in order}}
        aicore.wait_flag [mte1 -> mte2] 1 + %c0
        aicore.load_l0 %a[%c0] at(%c0, %c0) size(%c16, %c16) -> %a0[%c0] : memref<16x16xf16, #aicore.space<l1>> -> memref<16x16xf16, #aicore.space<l0a>>
        aicore.set_flag [mte1 -> mte2] 0 + %c0
      }
      aicore.wait_flag [mte1 -> mte2] 0 + %c0
    }
  }
}

// -----

// A spill and a fetch, and the flag back.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %acc = aicore.alloc "acc" of "acc" copies 1 at 0 : memref<16x16xf32, #aicore.space<l0c>>
      %tile = aicore.alloc "tile" of "out" copies 1 at 0 : memref<16x16xf32, #aicore.space<gm>>
      %y = aicore.alloc "y" of "ub" copies 1 at 0 : memref<16x16xf32, #aicore.space<ub>>
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        aicore.set_cross mte2 to cube 1 + %c0
      }
      scf.for %i = %c0 to %K step %c16 {
        aicore.wait_cross fixpipe from vector 1 + %c0
        aicore.spill %acc[%c0] size(%c16, %c16) -> %tile[%c0] : memref<16x16xf32, #aicore.space<l0c>> -> memref<16x16xf32, #aicore.space<gm>>
        aicore.set_cross fixpipe to vector 0 + %c0
        aicore.vector_cores 2 {
        ^bb0(%v: index):
          aicore.wait_cross mte2 from cube 0 + %c0
          aicore.fetch %tile[%c0] at(%c0) size(%c16, %c16) -> %y[%c0] : memref<16x16xf32, #aicore.space<gm>> -> memref<16x16xf32, #aicore.space<ub>>
          aicore.set_cross mte2 to cube 1 + %c0
        }
      }
      aicore.wait_cross fixpipe from vector 1 + %c0
    }
  }
}
