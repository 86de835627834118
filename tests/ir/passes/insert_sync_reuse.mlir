// Buffers that share bytes one after the other: all accesses to the earlier one have ended before
// any access to the later. Offsets are those of aicore-plan-memory; the proof accepts the result,
// and remarks on no redundant flag.
// RUN: mmk-opt %s --aicore-plan-memory --aicore-insert-sync | FileCheck %s
// RUN: mmk-opt %s --aicore-plan-memory --aicore-insert-sync --aicore-verify-sync=redundant=true -verify-diagnostics

#machine = #aicore.machine<"tiny", coupled, cores = 1, vector_cores = 1, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l1 = [16384, 32], ub = [16384, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<64x64xf16, #aicore.space<l1>>
!l0a = memref<64x16xf16, #aicore.space<l0a>>
!out = memref<?x?xf32, #aicore.space<gm>>
!ub = memref<64x32xf32, #aicore.space<ub>>

module attributes {aicore.machine = #machine} {

// The same pipe fills both. "Free again" of the first, which every phase takes down at its end, is
// taken down before the second loop instead: not one flag more than without sharing.
// CHECK-LABEL: aicore.kernel @same_filler
aicore.kernel @same_filler dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 64 : index
  aicore.phase {
  ^bb0(%block: index):
    // CHECK: aicore.alloc "first" of "l1" copies 2 at 0
    // CHECK: aicore.alloc "second" of "l1" copies 1 at 0
    %x = aicore.alloc "first" of "l1" copies 2 : !l1
    %y = aicore.alloc "second" of "l1" copies 1 : !l1
    %l0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    // CHECK:     aicore.set_flag [mte1 -> mte2] 0 +
    // CHECK:     aicore.set_flag [mte1 -> mte2] 0 +
    // CHECK:     aicore.set_flag [mte1 -> mte2] 2 +
    // CHECK:     scf.for
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %x : !l1
      // CHECK:      aicore.wait_flag [mte1 -> mte2] 0 +
      // CHECK-NEXT: aicore.load
      aicore.load %a[%i, %zero] along [0, 1] size(%k, %k) -> %x[%s] pad 16 : !gm -> !l1
      // CHECK-NEXT: aicore.set_flag [mte2 -> mte1] 0 +
      %t = aicore.slot %i of %l0 : !l0a
      // CHECK:      aicore.load_l0
      aicore.load_l0 %x[%s] at(%zero, %zero) size(%k, %k) -> %l0[%t] : !l1 -> !l0a
      // CHECK-NEXT: aicore.set_flag [mte1 -> mte2] 0 +
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: %[[SLOT0:.*]] = arith.constant 0 : index
    // CHECK-NEXT: aicore.wait_flag [mte1 -> mte2] 0 + %[[SLOT0]]
    // CHECK-NEXT: %[[SLOT1:.*]] = arith.constant 1 : index
    // CHECK-NEXT: aicore.wait_flag [mte1 -> mte2] 0 + %[[SLOT1]]
    // CHECK-NEXT: scf.for
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %y : !l1
      // CHECK:      aicore.wait_flag [mte1 -> mte2] 2 +
      // CHECK-NEXT: aicore.load
      aicore.load %a[%i, %zero] along [0, 1] size(%k, %k) -> %y[%s] pad 16 : !gm -> !l1
      // CHECK-NEXT: aicore.set_flag [mte2 -> mte1] 2 +
      %t = aicore.slot %i of %l0 : !l0a
      // CHECK:      aicore.load_l0
      aicore.load_l0 %y[%s] at(%zero, %zero) size(%k, %k) -> %l0[%t] : !l1 -> !l0a
      // CHECK-NEXT: aicore.set_flag [mte1 -> mte2] 2 +
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: %[[SLOT2:.*]] = arith.constant 0 : index
    // CHECK-NEXT: aicore.wait_flag [mte1 -> mte2] 2 + %[[SLOT2]]
    // CHECK-NEXT: }
  }
}

// Another pipe fills the second: the vector pipe writes where mte3 may still read what was stored.
// One flag between the loops orders that, and no pipe waits for the load before.
// CHECK-LABEL: aicore.kernel @another_filler
aicore.kernel @another_filler dims ["N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"c"["M", "N"]>] cores 1 buffers {} {
^bb0(%n: index, %x: !out, %c: !out):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 32 : index
  aicore.phase {
  ^bb0(%block: index):
    // CHECK: aicore.alloc "through" of "ub" copies 1 at 0
    // CHECK: aicore.alloc "made" of "out" copies 1 at 0
    // CHECK: aicore.alloc "in" of "ub" copies 1 at 8192
    %through = aicore.alloc "through" of "ub" copies 1 : !ub
    %made = aicore.alloc "made" of "out" copies 1 : !ub
    %in = aicore.alloc "in" of "ub" copies 1 : !ub
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %through : !ub
      aicore.load %x[%i, %zero] along [0, 1] size(%k, %k) -> %through[%s] pad 1 : !out -> !ub
      // CHECK: aicore.store %through_ub
      aicore.store %through[%s] -> %c[%i, %zero] along [0, 1] size(%k, %k) : !ub -> !out
    }
    // CHECK:      }
    // CHECK-NEXT: %[[SET:.*]] = arith.constant 0 : index
    // CHECK-NEXT: aicore.set_flag [mte3 -> vector] 1 + %[[SET]]
    // CHECK-NEXT: %[[WAIT:.*]] = arith.constant 0 : index
    // CHECK-NEXT: aicore.wait_flag [mte3 -> vector] 1 + %[[WAIT]]
    // CHECK-NEXT: scf.for
    scf.for %i = %zero to %n step %one {
      %t = aicore.slot %i of %in : !ub
      aicore.load %x[%i, %zero] along [0, 1] size(%k, %k) -> %in[%t] pad 1 : !out -> !ub
      %s = aicore.slot %i of %made : !ub
      aicore.vector ins(%in[%t] full : !ub) outs(%made[%s] : !ub) size(%k, %k) {
      ^bb0(%e: f32):
        aicore.yield %e : f32
      }
      aicore.store %made[%s] -> %c[%i, %zero] along [0, 1] size(%k, %k) : !ub -> !out
    }
  }
}
}
