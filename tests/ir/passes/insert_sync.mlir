// Flags between the pipes of one core. The CHECK lines stand where the flags come to stand, so that
// each case is a picture of its schedule: [filler -> user] is "filled", [user -> filler] "free again".
// RUN: mmk-opt %s --aicore-insert-sync | FileCheck %s

#machine = #aicore.machine<"tiny", coupled, cores = 1, vector_cores = 1, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
!gm = memref<?x?xf16, #aicore.space<gm>>
!out = memref<?x?xf32, #aicore.space<gm>>
!l1 = memref<64x64xf16, #aicore.space<l1>>
!l0a = memref<64x16xf16, #aicore.space<l0a>>
!l0b = memref<16x32xf16, #aicore.space<l0b>>
!acc = memref<64x32xf32, #aicore.space<l0c>>
!ub = memref<64x32xf32, #aicore.space<ub>>

module attributes {aicore.machine = #machine} {

// One buffer, two copies: one event a slot in each direction. All slots are free when the phase
// begins; the remaining "free" flags are taken down when it ends.
// CHECK-LABEL: aicore.kernel @pair
aicore.kernel @pair dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 64 : index
  aicore.phase {
  ^bb0(%block: index):
    // CHECK:      %[[L1:.*]] = aicore.alloc "a" of "l1"
    %l1 = aicore.alloc "a" of "l1" copies 2 : !l1
    %l0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    // CHECK:      %[[SLOT0:.*]] = arith.constant 0 : index
    // CHECK-NEXT: aicore.set_flag [mte1 -> mte2] 0 + %[[SLOT0]]
    // CHECK-NEXT: %[[SLOT1:.*]] = arith.constant 1 : index
    // CHECK-NEXT: aicore.set_flag [mte1 -> mte2] 0 + %[[SLOT1]]
    // CHECK-NEXT: scf.for %[[I:.*]] =
    scf.for %i = %zero to %n step %one {
      // CHECK-NEXT: %[[S:.*]] = aicore.slot %[[I]] of %[[L1]]
      %s = aicore.slot %i of %l1 : !l1
      // CHECK-NEXT: aicore.wait_flag [mte1 -> mte2] 0 + %[[S]]
      // CHECK-NEXT: aicore.load
      aicore.load %a[%i, %zero] along [0, 1] size(%k, %k) -> %l1[%s] pad 16 : !gm -> !l1
      // CHECK-NEXT: aicore.set_flag [mte2 -> mte1] 0 + %[[S]]
      // CHECK:      aicore.wait_flag [mte2 -> mte1] 0 + %[[S]]
      %t = aicore.slot %i of %l0 : !l0a
      // CHECK-NEXT: aicore.load_l0
      aicore.load_l0 %l1[%s] at(%zero, %zero) size(%k, %k) -> %l0[%t] : !l1 -> !l0a
      // CHECK-NEXT: aicore.set_flag [mte1 -> mte2] 0 + %[[S]]
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: %[[SLOT0:.*]] = arith.constant 0 : index
    // CHECK-NEXT: aicore.wait_flag [mte1 -> mte2] 0 + %[[SLOT0]]
    // CHECK-NEXT: %[[SLOT1:.*]] = arith.constant 1 : index
    // CHECK-NEXT: aicore.wait_flag [mte1 -> mte2] 0 + %[[SLOT1]]
    // CHECK-NEXT: }
  }
}

// A and B are loaded together and used together, with as many copies: one flag orders both, so
// there are no more flags than for one. It counts by the slot that is computed first.
// CHECK-LABEL: aicore.kernel @shared
aicore.kernel @shared dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 64 : index
  aicore.phase {
  ^bb0(%block: index):
    %a1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %b1 = aicore.alloc "b" of "l1" copies 1 : !l1
    %a0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    // CHECK-COUNT-1: aicore.set_flag [mte1 -> mte2]
    // CHECK-NOT:     aicore.set_flag
    // CHECK:         scf.for
    scf.for %i = %zero to %n step %one {
      // CHECK-NEXT: %[[S:.*]] = aicore.slot
      %s = aicore.slot %i of %a1 : !l1
      // CHECK-NEXT: aicore.wait_flag [mte1 -> mte2] 0 + %[[S]]
      // CHECK-NEXT: aicore.load {{.*}} -> %a_l1
      aicore.load %a[%i, %zero] along [0, 1] size(%k, %k) -> %a1[%s] pad 16 : !gm -> !l1
      // CHECK-NEXT: aicore.slot
      %t = aicore.slot %i of %b1 : !l1
      // CHECK-NEXT: aicore.load {{.*}} -> %b_l1
      aicore.load %a[%zero, %i] along [0, 1] size(%k, %k) -> %b1[%t] pad 16 : !gm -> !l1
      // CHECK-NEXT: aicore.set_flag [mte2 -> mte1] 0 + %[[S]]
      // CHECK-NEXT: %[[U:.*]] = aicore.slot
      %u = aicore.slot %i of %a0 : !l0a
      // CHECK-NEXT: aicore.wait_flag [mte2 -> mte1] 0 + %[[S]]
      // CHECK-NEXT: aicore.load_l0 %a_l1
      aicore.load_l0 %a1[%s] at(%zero, %zero) size(%k, %k) -> %a0[%u] : !l1 -> !l0a
      // CHECK-NEXT: aicore.load_l0 %b_l1
      aicore.load_l0 %b1[%t] at(%zero, %zero) size(%k, %k) -> %a0[%u] : !l1 -> !l0a
      // CHECK-NEXT: aicore.set_flag [mte1 -> mte2] 0 + %[[S]]
    // CHECK-NEXT: }
    }
  }
}

// With different copies their slots have different periods, and "filled" has its own ids: 0 to 2, 3
// and 4. "Free again" of `a` is implied: before the load into it, mte2 has waited for the use of
// `b` an iteration earlier, and by then mte1 was done with the generation of `a` three iterations
// earlier.
// CHECK-LABEL: aicore.kernel @copies_differ
aicore.kernel @copies_differ dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 64 : index
  aicore.phase {
  ^bb0(%block: index):
    %a1 = aicore.alloc "a" of "l1" copies 3 : !l1
    %b1 = aicore.alloc "b" of "l1" copies 2 : !l1
    %a0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    // CHECK:      aicore.set_flag [mte1 -> mte2] 0 +
    // CHECK:      aicore.set_flag [mte1 -> mte2] 0 +
    // CHECK-NOT:  aicore.set_flag
    // CHECK:      scf.for
    scf.for %i = %zero to %n step %one {
      // CHECK-NEXT: %[[S:.*]] = aicore.slot
      %s = aicore.slot %i of %a1 : !l1
      // CHECK-NEXT: aicore.load {{.*}} -> %a_l1
      aicore.load %a[%i, %zero] along [0, 1] size(%k, %k) -> %a1[%s] pad 16 : !gm -> !l1
      // CHECK-NEXT: aicore.set_flag [mte2 -> mte1] 0 + %[[S]]
      // CHECK-NEXT: %[[T:.*]] = aicore.slot
      %t = aicore.slot %i of %b1 : !l1
      // CHECK-NEXT: aicore.wait_flag [mte1 -> mte2] 0 + %[[T]]
      // CHECK-NEXT: aicore.load {{.*}} -> %b_l1
      aicore.load %a[%zero, %i] along [0, 1] size(%k, %k) -> %b1[%t] pad 16 : !gm -> !l1
      // CHECK-NEXT: aicore.set_flag [mte2 -> mte1] 3 + %[[T]]
      %u = aicore.slot %i of %a0 : !l0a
      // CHECK:      aicore.wait_flag [mte2 -> mte1] 0 + %[[S]]
      // CHECK-NEXT: aicore.load_l0 %a_l1
      aicore.load_l0 %a1[%s] at(%zero, %zero) size(%k, %k) -> %a0[%u] : !l1 -> !l0a
      // CHECK-NEXT: aicore.wait_flag [mte2 -> mte1] 3 + %[[T]]
      // CHECK-NEXT: aicore.load_l0 %b_l1
      aicore.load_l0 %b1[%t] at(%zero, %zero) size(%k, %k) -> %a0[%u] : !l1 -> !l0a
      // CHECK-NEXT: aicore.set_flag [mte1 -> mte2] 0 + %[[T]]
    }
  }
}

// A transfer in a branch takes its flags with it: on the path not taken nothing is set and nothing is
// waited for. Two sites fill, one uses; all by the same events.
// CHECK-LABEL: aicore.kernel @branch
aicore.kernel @branch dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 64 : index
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 2 : !l1
    %l0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    // CHECK:      aicore.set_flag [mte1 -> mte2] 0 +
    // CHECK:      aicore.set_flag [mte1 -> mte2] 0 +
    %any = arith.cmpi sgt, %n, %zero : index
    // CHECK:      scf.if
    scf.if %any {
      // CHECK-NEXT: %[[S0:.*]] = aicore.slot
      %s0 = aicore.slot %zero of %l1 : !l1
      // CHECK-NEXT: aicore.wait_flag [mte1 -> mte2] 0 + %[[S0]]
      // CHECK-NEXT: aicore.load
      aicore.load %a[%zero, %zero] along [0, 1] size(%k, %k) -> %l1[%s0] pad 16 : !gm -> !l1
      // CHECK-NEXT: aicore.set_flag [mte2 -> mte1] 0 + %[[S0]]
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: scf.for
    scf.for %i = %zero to %n step %one {
      // CHECK-NEXT: arith.addi
      // CHECK-NEXT: arith.cmpi
      %next = arith.addi %i, %one : index
      %more = arith.cmpi slt, %next, %n : index
      // CHECK-NEXT: scf.if
      scf.if %more {
        // CHECK-NEXT: %[[S1:.*]] = aicore.slot
        %s1 = aicore.slot %next of %l1 : !l1
        // CHECK-NEXT: aicore.wait_flag [mte1 -> mte2] 0 + %[[S1]]
        // CHECK-NEXT: aicore.load
        aicore.load %a[%next, %zero] along [0, 1] size(%k, %k) -> %l1[%s1] pad 16 : !gm -> !l1
        // CHECK-NEXT: aicore.set_flag [mte2 -> mte1] 0 + %[[S1]]
      // CHECK-NEXT: }
      }
      // CHECK-NEXT: %[[S:.*]] = aicore.slot
      %s = aicore.slot %i of %l1 : !l1
      %t = aicore.slot %i of %l0 : !l0a
      // CHECK:      aicore.wait_flag [mte2 -> mte1] 0 + %[[S]]
      // CHECK-NEXT: aicore.load_l0
      aicore.load_l0 %l1[%s] at(%zero, %zero) size(%k, %k) -> %l0[%t] : !l1 -> !l0a
      // CHECK-NEXT: aicore.set_flag [mte1 -> mte2] 0 + %[[S]]
    // CHECK-NEXT: }
    }
  }
}

// One generation of an L1 buffer feeds a whole loop: it is waited for before the loop and released
// after it, not in each iteration, and also when the loop has no iteration at all. So is the
// accumulator, which the loop fills: the cube waits until it is free before the first step and says
// that it is done after the last.
// CHECK-LABEL: aicore.kernel @loops
aicore.kernel @loops dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [#mmk.named<"c"["M", "N"]>] cores 1 buffers {} {
^bb0(%n: index, %a: !gm, %c: !out):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %a0 = aicore.alloc "a" of "l0" copies 2 : !l0a
    %b0 = aicore.alloc "b" of "l0" copies 2 : !l0b
    %acc = aicore.alloc "acc" of "acc" copies 1 : !acc
    // CHECK:      aicore.set_flag [mte1 -> mte2] 0 +
    // CHECK:      aicore.set_flag [cube -> mte1] 0 +
    // CHECK:      aicore.set_flag [cube -> mte1] 0 +
    // CHECK:      aicore.set_flag [fixpipe -> cube] 0 +
    // CHECK-NEXT: scf.for
    scf.for %i = %zero to %n step %one {
      // CHECK:      %[[S:.*]] = aicore.slot %{{.*}} of %a_l1
      %s = aicore.slot %i of %l1 : !l1
      // CHECK-NEXT: aicore.wait_flag [mte1 -> mte2] 0 + %[[S]]
      // CHECK-NEXT: aicore.load
      aicore.load %a[%i, %zero] along [0, 1] size(%k, %k) -> %l1[%s] pad 16 : !gm -> !l1
      // CHECK-NEXT: aicore.set_flag [mte2 -> mte1] 0 + %[[S]]
      // CHECK-NEXT: %[[ACC:.*]] = aicore.slot %{{.*}} of %acc_l0c
      %t = aicore.slot %i of %acc : !acc
      // CHECK-NEXT: aicore.wait_flag [mte2 -> mte1] 0 + %[[S]]
      // CHECK-NEXT: aicore.wait_flag [fixpipe -> cube] 0 + %[[ACC]]
      // CHECK-NEXT: scf.for
      scf.for %j = %zero to %n step %one {
        %first = arith.cmpi eq, %j, %zero : index
        // CHECK:      %[[U:.*]] = aicore.slot %{{.*}} of %a_l0a
        %u = aicore.slot %j of %a0 : !l0a
        // CHECK-NEXT: aicore.wait_flag [cube -> mte1] 0 + %[[U]]
        // CHECK-NEXT: aicore.load_l0
        aicore.load_l0 %l1[%s] at(%zero, %j) size(%k, %k) -> %a0[%u] : !l1 -> !l0a
        %v = aicore.slot %j of %b0 : !l0b
        // CHECK:      aicore.load_l0
        aicore.load_l0 %l1[%s] at(%j, %zero) size(%k, %k) -> %b0[%v] : !l1 -> !l0b
        // CHECK-NEXT: aicore.set_flag [mte1 -> cube] 0 + %[[U]]
        // CHECK-NEXT: aicore.wait_flag [mte1 -> cube] 0 + %[[U]]
        // CHECK-NEXT: aicore.mmad
        aicore.mmad %a0[%u], %b0[%v] -> %acc[%t] size(%k, %k, %k) first(%first) : !l0a, !l0b -> !acc
        // CHECK-NEXT: aicore.set_flag [cube -> mte1] 0 + %[[U]]
      // CHECK-NEXT: }
      }
      // CHECK-NEXT: aicore.set_flag [cube -> fixpipe] 0 + %[[ACC]]
      // CHECK-NEXT: aicore.set_flag [mte1 -> mte2] 0 + %[[S]]
      // CHECK-NEXT: aicore.wait_flag [cube -> fixpipe] 0 + %[[ACC]]
      // CHECK-NEXT: aicore.fixpipe
      aicore.fixpipe %acc[%t] -> %c[%i, %zero] along [0, 1] size(%k, %k) : !acc -> !out
      // CHECK-NEXT: aicore.set_flag [fixpipe -> cube] 0 + %[[ACC]]
    }
  }
}

// A buffer that one pipe fills and uses needs no flag; the drain and the vector instruction are
// both of the vector pipe. The store is of another and needs its own pair. L0C is released by the
// vector pipe, all on one core: no cross-core flag on a coupled chip.
// CHECK-LABEL: aicore.kernel @in_order
aicore.kernel @in_order dims ["N"] args [] results [#mmk.named<"c"["M", "N"]>] cores 1 buffers {} {
^bb0(%n: index, %c: !out):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 16 : index
  %first = arith.constant true
  aicore.phase {
  ^bb0(%block: index):
    %a0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    %b0 = aicore.alloc "b" of "l0" copies 1 : !l0b
    %acc = aicore.alloc "acc" of "acc" copies 1 : !acc
    %x = aicore.alloc "acc" of "ub" copies 1 : !ub
    %y = aicore.alloc "out" of "out" copies 1 : !ub
    // CHECK:      aicore.set_flag [vector -> cube] 0 +
    // CHECK:      aicore.set_flag [mte3 -> vector] 0 +
    // CHECK-NEXT: scf.for
    scf.for %i = %zero to %n step %one {
      // CHECK:      aicore.wait_flag [vector -> cube] 0 +
      // CHECK-NEXT: aicore.mmad
      %s = aicore.slot %i of %acc : !acc
      %t = aicore.slot %i of %a0 : !l0a
      %u = aicore.slot %i of %b0 : !l0b
      aicore.mmad %a0[%t], %b0[%u] -> %acc[%s] size(%k, %k, %k) first(%first) : !l0a, !l0b -> !acc
      // CHECK-NEXT: aicore.set_flag [cube -> vector] 0 +
      %v = aicore.slot %i of %x : !ub
      // CHECK:      aicore.wait_flag [cube -> vector] 0 +
      // CHECK-NEXT: aicore.drain
      aicore.drain %acc[%s] at(%zero) size(%k, %k) -> %x[%v] : !acc -> !ub
      // CHECK-NEXT: aicore.set_flag [vector -> cube] 0 +
      %w = aicore.slot %i of %y : !ub
      // CHECK:      aicore.wait_flag [mte3 -> vector] 0 +
      // CHECK-NEXT: aicore.vector
      aicore.vector ins(%x[%v] full : !ub) outs(%y[%w] : !ub) size(%k, %k) {
      ^bb0(%e: f32):
        aicore.yield %e : f32
      }
      // CHECK:      aicore.set_flag [vector -> mte3] 0 +
      // CHECK-NEXT: aicore.wait_flag [vector -> mte3] 0 +
      // CHECK-NEXT: aicore.store
      aicore.store %y[%w] -> %c[%i, %zero] along [0, 1] size(%k, %k) : !ub -> !out
      // CHECK-NEXT: aicore.set_flag [mte3 -> vector] 0 +
    }
    // CHECK-NOT: cross
  }
}

// Two pipes use one buffer, as when the product is a result beside its epilogue: it is filled by
// one of them, which needs no flag, and has a pair of flags with the other.
// CHECK-LABEL: aicore.kernel @two_users
aicore.kernel @two_users dims ["N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"c"["M", "N"]>] cores 1 buffers {} {
^bb0(%n: index, %a: !out, %c: !out):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !ub
    %y = aicore.alloc "y" of "out" copies 1 : !ub
    // CHECK-DAG:  aicore.set_flag [vector -> mte2] 0 +
    // CHECK-DAG:  aicore.set_flag [mte3 -> mte2] 0 +
    // CHECK:      scf.for
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %x : !ub
      // CHECK-DAG:  aicore.wait_flag [vector -> mte2] 0 +
      // CHECK-DAG:  aicore.wait_flag [mte3 -> mte2] 0 +
      // CHECK:      aicore.load
      aicore.load %a[%i, %zero] along [0, 1] size(%k, %k) -> %x[%s] pad 1 : !out -> !ub
      // CHECK-DAG:  aicore.set_flag [mte2 -> vector] 0 +
      // CHECK-DAG:  aicore.set_flag [mte2 -> mte3] 0 +
      %w = aicore.slot %i of %y : !ub
      // CHECK:      aicore.wait_flag [mte2 -> vector] 0 +
      // CHECK:      aicore.vector
      aicore.vector ins(%x[%s] full : !ub) outs(%y[%w] : !ub) size(%k, %k) {
      ^bb0(%e: f32):
        aicore.yield %e : f32
      }
      // CHECK:      aicore.set_flag [vector -> mte2] 0 +
      // CHECK:      aicore.wait_flag [mte2 -> mte3] 0 +
      // CHECK-NEXT: aicore.store
      aicore.store %x[%s] -> %c[%i, %zero] along [0, 1] size(%k, %k) : !ub -> !out
      // CHECK-NEXT: aicore.set_flag [mte3 -> mte2] 0 +
    }
  }
}

// Each phase begins with all its ids; nothing is left set between phases. The second has no loop: a
// buffer that is filled once need not be freed.
// CHECK-LABEL: aicore.kernel @phases
aicore.kernel @phases dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 64 : index
  // CHECK: aicore.phase
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %l0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    // CHECK: aicore.set_flag [mte1 -> mte2] 0 +
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %l1 : !l1
      aicore.load %a[%i, %zero] along [0, 1] size(%k, %k) -> %l1[%s] pad 16 : !gm -> !l1
      %t = aicore.slot %i of %l0 : !l0a
      aicore.load_l0 %l1[%s] at(%zero, %zero) size(%k, %k) -> %l0[%t] : !l1 -> !l0a
    }
  }
  // CHECK: aicore.phase
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %l0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    %s = aicore.slot %zero of %l1 : !l1
    // CHECK-NOT:  aicore.wait_flag
    // CHECK:      aicore.load
    aicore.load %a[%zero, %zero] along [0, 1] size(%k, %k) -> %l1[%s] pad 16 : !gm -> !l1
    // CHECK-NEXT: aicore.set_flag [mte2 -> mte1] 0 +
    %t = aicore.slot %zero of %l0 : !l0a
    // CHECK:      aicore.wait_flag [mte2 -> mte1] 0 +
    // CHECK-NEXT: aicore.load_l0
    aicore.load_l0 %l1[%s] at(%zero, %zero) size(%k, %k) -> %l0[%t] : !l1 -> !l0a
    // CHECK-NEXT: }
  }
}
}
