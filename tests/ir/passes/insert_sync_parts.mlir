// Parts of an accumulator have flags of their own, at the marked begin and end of their
// generations.
// RUN: mmk-opt %s --aicore-insert-sync | FileCheck %s
// RUN: mmk-opt %s --aicore-insert-sync --aicore-verify-sync -o /dev/null

#machine = #aicore.machine<"tiny", split, cores = 1, vector_cores = 2, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
!out = memref<?x?xf32, #aicore.space<gm>>
!l0a = memref<64x16xf16, #aicore.space<l0a>>
!l0b = memref<16x32xf16, #aicore.space<l0b>>
!acc = memref<64x32xf32, #aicore.space<l0c>>

module attributes {aicore.machine = #machine} {

// CHECK-LABEL: aicore.kernel @parts
aicore.kernel @parts dims ["K", "N"] args [] results [#mmk.named<"c"["N", "N"]>] cores 1 buffers {} {
^bb0(%k: index, %n: index, %c: !out):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %depth = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    %a = aicore.alloc "a" of "l0" copies 1 : !l0a
    %b = aicore.alloc "b" of "l0" copies 1 : !l0b
    // CHECK: %[[ACC:.*]] = aicore.alloc "acc"
    %acc = aicore.alloc "acc" of "acc" copies 1 parts 2 : !acc
    %sa = aicore.slot %zero of %a : !l0a
    %sb = aicore.slot %zero of %b : !l0b
    // CHECK:      aicore.set_flag [fixpipe -> cube] 0 +
    // CHECK:      aicore.set_flag [fixpipe -> cube] 1 +
    // CHECK-NEXT: scf.for
    scf.for %i = %zero to %n step %one {
      // CHECK-NEXT: %[[S:.*]] = aicore.slot
      %s = aicore.slot %i of %acc : !acc
      // CHECK-NEXT: scf.for
      scf.for %ks = %zero to %k step %depth {
        %next = arith.addi %ks, %depth : index
        // CHECK:      %[[FIRST:.*]] = arith.cmpi eq
        %first = arith.cmpi eq, %ks, %zero : index
        // CHECK-NEXT: %[[LAST:.*]] = arith.cmpi sge
        %last = arith.cmpi sge, %next, %k : index
        // CHECK-NEXT: scf.if %[[FIRST]] {
        // CHECK-NEXT:   aicore.wait_flag [fixpipe -> cube] 0 + %[[S]]
        // CHECK-NEXT: }
        scf.if %first {
          aicore.producer_acquire %acc[%s] part 0 : !acc
        }
        // CHECK-NEXT: aicore.mmad {{.*}} part 0
        aicore.mmad %a[%sa], %b[%sb] -> %acc[%s] part 0 size(%one, %one, %one) first(%first) : !l0a, !l0b -> !acc
        // CHECK-NEXT: scf.if %[[LAST]] {
        // CHECK-NEXT:   aicore.set_flag [cube -> fixpipe] 0 + %[[S]]
        // CHECK-NEXT: }
        scf.if %last {
          aicore.producer_commit %acc[%s] part 0 : !acc
        }
        // CHECK-NEXT: scf.if %[[FIRST]] {
        // CHECK-NEXT:   aicore.wait_flag [fixpipe -> cube] 1 + %[[S]]
        scf.if %first {
          aicore.producer_acquire %acc[%s] part 1 : !acc
        }
        // CHECK:      aicore.mmad {{.*}} part 1
        aicore.mmad %a[%sa], %b[%sb] -> %acc[%s] part 1 size(%one, %one, %one) first(%first) : !l0a, !l0b -> !acc
        // CHECK-NEXT: scf.if %[[LAST]] {
        // CHECK-NEXT:   aicore.set_flag [cube -> fixpipe] 1 + %[[S]]
        scf.if %last {
          aicore.producer_commit %acc[%s] part 1 : !acc
        }
      }
      // The first part is drained while the second is still computed.
      // CHECK:      aicore.wait_flag [cube -> fixpipe] 0 + %[[S]]
      // CHECK-NEXT: aicore.fixpipe %[[ACC]][%[[S]]] part 0
      // CHECK-NEXT: aicore.set_flag [fixpipe -> cube] 0 + %[[S]]
      aicore.fixpipe %acc[%s] part 0 -> %c[%zero, %zero] along [0, 1] size(%one, %one) : !acc -> !out
      // CHECK-NEXT: aicore.wait_flag [cube -> fixpipe] 1 + %[[S]]
      // CHECK-NEXT: aicore.fixpipe %[[ACC]][%[[S]]] part 1
      // CHECK-NEXT: aicore.set_flag [fixpipe -> cube] 1 + %[[S]]
      aicore.fixpipe %acc[%s] part 1 -> %c[%zero, %one] along [0, 1] size(%one, %one) : !acc -> !out
      // CHECK-NOT: aicore.producer_acquire
      // CHECK-NOT: aicore.producer_commit
    }
  }
}
}
