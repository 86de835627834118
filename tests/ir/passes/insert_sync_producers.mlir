// Buffers that several pipes fill, and buffers that a loop carries.
// RUN: mmk-opt %s -split-input-file --aicore-plan-memory --aicore-insert-sync --aicore-verify-sync \
// RUN:   | FileCheck %s

#machine = #aicore.machine<"one", coupled, cores = 1, vector_cores = 1, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
!in = memref<?x?xf32, #aicore.space<gm>>
!ub = memref<16x16xf32, #aicore.space<ub>>

module attributes {aicore.machine = #machine} {

// The first summand is loaded to where the sum is computed: MTE2 fills the buffer, then the vector
// unit, and MTE3 stores it.
// CHECK-LABEL: aicore.kernel @sum
// CHECK:         scf.for
// CHECK:           aicore.wait_flag [mte3 -> mte2]
// CHECK:           aicore.load %x{{.*}} -> %sum_ub
// CHECK:           aicore.load %z{{.*}} -> %part_ub
// CHECK:           aicore.set_flag [mte2 -> vector]
// CHECK:           aicore.wait_flag [mte2 -> vector]
// CHECK:           aicore.vector
// CHECK:           aicore.set_flag [vector -> mte3]
// CHECK:           aicore.wait_flag [vector -> mte3]
// CHECK:           aicore.store %sum_ub
// CHECK:           aicore.set_flag [mte3 -> mte2]
aicore.kernel @sum dims ["N"] args [#mmk.named<"x"["N", "16"]>, #mmk.named<"z"["N", "16"]>]
    results [#mmk.named<"y"["N", "16"]>] cores 1 buffers {} {
^bb0(%n: index, %x: !in, %z: !in, %y: !in):
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    %sum = aicore.alloc "sum" of "ub" copies 2 : !ub
    %part = aicore.alloc "part" of "ub" copies 2 : !ub
    scf.for %j = %c0 to %n step %c16 {
      %i = arith.divsi %j, %c16 : index
      %s = aicore.slot %i of %sum : !ub
      aicore.load %x[%j, %c0] along [0, 1] size(%c16, %c16) -> %sum[%s] pad 1 : !in -> !ub
      %t = aicore.slot %i of %part : !ub
      aicore.load %z[%j, %c0] along [0, 1] size(%c16, %c16) -> %part[%t] pad 1 : !in -> !ub
      aicore.vector ins(%sum[%s] full, %part[%t] full : !ub, !ub) outs(%sum[%s] : !ub) size(%c16, %c16) {
      ^bb0(%e: f32, %f: f32):
        %g = arith.addf %e, %f : f32
        aicore.yield %g : f32
      }
      aicore.store %sum[%s] -> %y[%j, %c0] along [0, 1] size(%c16, %c16) : !ub -> !in
    }
  }
}

// The sum is carried over the loop: it is filled before it, and stored after it. The load of the
// first part starts after that of the sum on the same pipe, so the flag of the part orders both;
// the store waits for the load itself, for the case that the loop is empty.
// CHECK-LABEL: aicore.kernel @carried
// CHECK:         aicore.load %x{{.*}} -> %sum_ub
// CHECK:         aicore.set_flag [mte2 -> mte3] [[FILLED:[0-9]+]] +
// CHECK:         scf.for
// CHECK-NOT:       mte3
// CHECK:           aicore.load %x{{.*}} -> %part_ub
// CHECK-NOT:       mte3
// CHECK:           aicore.wait_flag [mte2 -> vector]
// CHECK-NEXT:      aicore.vector
// CHECK-NOT:       mte3
// CHECK:         }
// CHECK:         aicore.set_flag [vector -> mte3]
// CHECK:         aicore.wait_flag [vector -> mte3]
// CHECK:         aicore.wait_flag [mte2 -> mte3] [[FILLED]] +
// CHECK:         aicore.store %sum_ub
aicore.kernel @carried dims ["N"] args [#mmk.named<"x"["N", "16"]>]
    results [#mmk.named<"y"["16", "16"]>] cores 1 buffers {} {
^bb0(%n: index, %x: !in, %y: !in):
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    %sum = aicore.alloc "sum" of "ub" copies 1 : !ub
    %part = aicore.alloc "part" of "ub" copies 2 : !ub
    %s = aicore.slot %c0 of %sum : !ub
    aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %sum[%s] pad 1 : !in -> !ub
    scf.for %j = %c16 to %n step %c16 {
      %i = arith.divsi %j, %c16 : index
      %t = aicore.slot %i of %part : !ub
      aicore.load %x[%j, %c0] along [0, 1] size(%c16, %c16) -> %part[%t] pad 1 : !in -> !ub
      aicore.vector ins(%sum[%s] full, %part[%t] full : !ub, !ub) outs(%sum[%s] : !ub) size(%c16, %c16) {
      ^bb0(%e: f32, %f: f32):
        %g = arith.addf %e, %f : f32
        aicore.yield %g : f32
      }
    }
    aicore.store %sum[%s] -> %y[%c0, %c0] along [0, 1] size(%c16, %c16) : !ub -> !in
  }
}
}
