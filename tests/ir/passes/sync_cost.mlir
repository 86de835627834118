// Redundant synchronisation with its cost: counted with it and without.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file "--aicore-sync-cost=machine=ascend910b1 dims=64"

// The second pair orders nothing more than the first.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 6, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
    ^bb0(%block: index):
      %a = aicore.alloc "a" of "l1" copies 1 at 0 : memref<16x16xf16, #aicore.space<l1>>
      %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
      aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %a[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
      aicore.set_flag [mte2 -> mte1] 0 + %c0
      // expected-remark @+1 {{redundant: without this wait and its set, every hazard is still in order; it costs 1 of 2718 cycles}}
      aicore.wait_flag [mte2 -> mte1] 0 + %c0
      aicore.set_flag [mte2 -> mte1] 1 + %c0
      aicore.wait_flag [mte2 -> mte1] 1 + %c0
      aicore.load_l0 %a[%c0] at(%c0, %c0) size(%c16, %c16) -> %a0[%c0] : memref<16x16xf16, #aicore.space<l1>> -> memref<16x16xf16, #aicore.space<l0a>>
    }
  }
}

// -----

// No pipe accesses bytes that another accessed before the barrier.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 6, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
    ^bb0(%block: index):
      %a = aicore.alloc "a" of "l1" copies 1 at 0 : memref<16x16xf16, #aicore.space<l1>>
      %b = aicore.alloc "b" of "l1" copies 1 at 512 : memref<16x16xf16, #aicore.space<l1>>
      %b0 = aicore.alloc "b" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
      aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %a[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
      // expected-remark @+1 {{redundant: without this barrier, every hazard is still in order; it costs 1 of 2813 cycles}}
      aicore.barrier all
      aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %b[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
      aicore.set_flag [mte2 -> mte1] 0 + %c0
      aicore.wait_flag [mte2 -> mte1] 0 + %c0
      aicore.load_l0 %b[%c0] at(%c0, %c0) size(%c16, %c16) -> %b0[%c0] : memref<16x16xf16, #aicore.space<l1>> -> memref<16x16xf16, #aicore.space<l0a>>
    }
  }
}

// -----

// The next transfer has to wait until the last was read, but not until it was multiplied.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [65536, 32], l0a = [65536, 32], l0b = [65536, 32], l0c = [65536, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 6, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %true = arith.constant true
    aicore.phase {
    ^bb0(%block: index):
      %a = aicore.alloc "a" of "l1" copies 1 at 0 : memref<64x64xf16, #aicore.space<l1>>
      %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<64x64xf16, #aicore.space<l0a>>
      %b0 = aicore.alloc "b" of "l0" copies 1 at 0 : memref<64x64xf16, #aicore.space<l0b>>
      %acc = aicore.alloc "acc" of "acc" copies 1 at 0 : memref<64x64xf32, #aicore.space<l0c>>
      aicore.load %x[%c0, %c0] along [0, 1] size(%c64, %c64) -> %a[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<64x64xf16, #aicore.space<l1>>
      aicore.set_flag [mte2 -> mte1] 0 + %c0
      aicore.wait_flag [mte2 -> mte1] 0 + %c0
      aicore.load_l0 %a[%c0] at(%c0, %c0) size(%c64, %c64) -> %a0[%c0] : memref<64x64xf16, #aicore.space<l1>> -> memref<64x64xf16, #aicore.space<l0a>>
      aicore.load_l0 %a[%c0] at(%c0, %c0) size(%c64, %c64) -> %b0[%c0] : memref<64x64xf16, #aicore.space<l1>> -> memref<64x64xf16, #aicore.space<l0b>>
      aicore.set_flag [mte1 -> cube] 0 + %c0
      aicore.wait_flag [mte1 -> cube] 0 + %c0
      aicore.mmad %a0[%c0], %b0[%c0] -> %acc[%c0] size(%c64, %c64, %c64) first(%true) : memref<64x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>> -> memref<64x64xf32, #aicore.space<l0c>>
      // expected-remark @+1 {{coarse: all pipes wait for all others here, but the hazards need no more than the flags mte1 -> mte2; it costs 84 of 3344 cycles}}
      aicore.barrier all
      aicore.load %x[%c0, %c0] along [0, 1] size(%c64, %c64) -> %a[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<64x64xf16, #aicore.space<l1>>
    }
  }
}

// -----

// In a loop each of the two pipes has to wait for the other, filled and free again, and there is no
// third: a barrier orders no more than flags would.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 6, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
    ^bb0(%block: index):
      %a = aicore.alloc "a" of "l1" copies 2 at 0 : memref<16x16xf16, #aicore.space<l1>>
      %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
      scf.for %i = %c0 to %K step %c1 {
        %s = aicore.slot %i of %a : memref<16x16xf16, #aicore.space<l1>>
        aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %a[%s] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
        aicore.barrier all
        aicore.load_l0 %a[%s] at(%c0, %c0) size(%c16, %c16) -> %a0[%c0] : memref<16x16xf16, #aicore.space<l1>> -> memref<16x16xf16, #aicore.space<l0a>>
      }
    }
  }
}
