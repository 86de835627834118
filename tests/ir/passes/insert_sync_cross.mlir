// A split chip: the cube core and its two vector cores have pipes and flags of their own, and meet
// only by cross-core flags.
// RUN: mmk-opt %s --aicore-insert-sync | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 1, vector_cores = 2, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
!out = memref<?x?xf32, #aicore.space<gm>>
!bias = memref<?xf32, #aicore.space<gm>>
!l0a = memref<64x16xf16, #aicore.space<l0a>>
!l0b = memref<16x32xf16, #aicore.space<l0b>>
!acc = memref<64x32xf32, #aicore.space<l0c>>
!tile = memref<64x32xf32, #aicore.space<gm>>
!ub = memref<32x32xf32, #aicore.space<ub>>
!row = memref<1x32xf32, #aicore.space<ub>>

module attributes {aicore.machine = #machine} {

// CHECK-LABEL: aicore.kernel @spilled
aicore.kernel @spilled dims ["N"] args [#mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] cores 1 buffers {} {
^bb0(%n: index, %bias: !bias, %c: !out):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 16 : index
  %first = arith.constant true
  aicore.phase {
  ^bb0(%block: index):
    %a0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    %b0 = aicore.alloc "b" of "l0" copies 1 : !l0b
    %acc = aicore.alloc "acc" of "acc" copies 1 : !acc
    %tiles = aicore.alloc "acc" of "out" copies 2 : !tile
    %x = aicore.alloc "acc" of "ub" copies 1 : !ub
    %row = aicore.alloc "bias" of "ub" copies 1 : !row
    %y = aicore.alloc "out" of "out" copies 1 : !ub
    // On the cube core, the accumulator is free. On the vector cores, their buffers are, and they
    // signal that both pieces of global memory are: flags 2 and 3 to the cube core, since 0 and 1
    // lead to the vector cores.
    // CHECK:      aicore.set_flag [fixpipe -> cube] 0 +
    // CHECK-NEXT: aicore.vector_cores 2 {
    // CHECK-NEXT: ^bb0(
    // CHECK-DAG:    aicore.set_cross mte2 to cube 2 + %[[W0:.*]]
    // CHECK-DAG:    aicore.set_cross mte2 to cube 2 + %[[W1:.*]]
    // CHECK-DAG:    aicore.set_flag [vector -> mte2] 0 +
    // CHECK-DAG:    aicore.set_flag [vector -> mte2] 1 +
    // CHECK-DAG:    aicore.set_flag [mte3 -> vector] 0 +
    // CHECK:      }
    // CHECK-NEXT: scf.for %[[I:.*]] =
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %acc : !acc
      %t = aicore.slot %i of %a0 : !l0a
      %u = aicore.slot %i of %b0 : !l0b
      // CHECK:      aicore.wait_flag [fixpipe -> cube] 0 + %[[ACC:.*]]
      // CHECK-NEXT: aicore.mmad
      aicore.mmad %a0[%t], %b0[%u] -> %acc[%s] size(%k, %k, %k) first(%first) : !l0a, !l0b -> !acc
      // CHECK-NEXT: aicore.set_flag [cube -> fixpipe] 0 + %[[ACC]]
      // CHECK-NEXT: %[[W:.*]] = aicore.slot %[[I]] of %acc_gm
      %w = aicore.slot %i of %tiles : !tile
      // CHECK-NEXT: aicore.wait_flag [cube -> fixpipe] 0 + %[[ACC]]
      // CHECK-NEXT: aicore.wait_cross fixpipe from vector 2 + %[[W]]
      // CHECK-NEXT: aicore.spill
      aicore.spill %acc[%s] size(%k, %k) -> %tiles[%w] : !acc -> !tile
      // CHECK-NEXT: aicore.set_cross fixpipe to vector 0 + %[[W]]
      // CHECK-NEXT: aicore.set_flag [fixpipe -> cube] 0 + %[[ACC]]
      // CHECK-NEXT: aicore.vector_cores 2 {
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        // CHECK:      %[[R:.*]] = aicore.slot %{{.*}} of %bias_ub
        %r = aicore.slot %i of %row : !row
        // CHECK-NEXT: aicore.wait_flag [vector -> mte2] 1 + %[[R]]
        // CHECK-NEXT: aicore.load
        aicore.load %bias[%i] along [-1, 0] size(%one, %k) -> %row[%r] pad 1 : !bias -> !row
        // The vector pipe waits for a later transfer of the same pipe anyway: no flag of its own is
        // needed. A vector core with no rows still takes the cross-core flag down, once a tile: it
        // waits before the loop over its steps, not in it.
        // CHECK-NEXT: aicore.wait_cross mte2 from cube 0 + %[[W]]
        // CHECK-NEXT: scf.for %[[J:.*]] =
        scf.for %j = %zero to %n step %k {
          // CHECK-NEXT: %[[X:.*]] = aicore.slot %[[J]] of %acc_ub
          %p = aicore.slot %j of %x : !ub
          // CHECK-NEXT: aicore.wait_flag [vector -> mte2] 0 + %[[X]]
          // CHECK-NEXT: aicore.fetch
          aicore.fetch %tiles[%w] at(%j) size(%k, %k) -> %x[%p] : !tile -> !ub
          // CHECK-NEXT: aicore.set_flag [mte2 -> vector] 0 + %[[X]]
          // CHECK-NEXT: %[[Y:.*]] = aicore.slot %[[J]] of %out_ub
          %q = aicore.slot %j of %y : !ub
          // CHECK-NEXT: aicore.wait_flag [mte2 -> vector] 0 + %[[X]]
          // CHECK-NEXT: aicore.wait_flag [mte3 -> vector] 0 + %[[Y]]
          // CHECK-NEXT: aicore.vector
          aicore.vector ins(%x[%p] full, %row[%r] row : !ub, !row) outs(%y[%q] : !ub) size(%k, %k) {
          ^bb0(%e: f32, %f: f32):
            %sum = arith.addf %e, %f : f32
            aicore.yield %sum : f32
          }
          // CHECK:      aicore.set_flag [vector -> mte3] 0 + %[[Y]]
          // CHECK-NEXT: aicore.set_flag [vector -> mte2] 0 + %[[X]]
          // CHECK-NEXT: aicore.wait_flag [vector -> mte3] 0 + %[[Y]]
          // CHECK-NEXT: aicore.store
          aicore.store %y[%q] -> %c[%j, %zero] along [0, 1] size(%k, %k) : !ub -> !out
          // CHECK-NEXT: aicore.set_flag [mte3 -> vector] 0 + %[[Y]]
        // CHECK-NEXT: }
        }
        // CHECK-NEXT: aicore.set_flag [vector -> mte2] 1 + %[[R]]
        // CHECK-NEXT: aicore.set_cross mte2 to cube 2 + %[[W]]
      // CHECK-NEXT: }
      }
    // CHECK-NEXT: }
    }
    // Every flag that was set at first is taken down by the core that waits for it.
    // CHECK:      aicore.wait_flag [fixpipe -> cube] 0 +
    // CHECK:      aicore.wait_cross fixpipe from vector 2 +
    // CHECK:      aicore.wait_cross fixpipe from vector 2 +
    // CHECK-NEXT: aicore.vector_cores 2 {
    // CHECK-DAG:    aicore.wait_flag [vector -> mte2] 0 +
    // CHECK-DAG:    aicore.wait_flag [vector -> mte2] 1 +
    // CHECK-DAG:    aicore.wait_flag [mte3 -> vector] 0 +
    // CHECK:      }
    // CHECK-NEXT: }
  }
}

// Only vector cores have work: only they have flags, of their own ids from 0.
// CHECK-LABEL: aicore.kernel @vector_only
aicore.kernel @vector_only dims ["N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"c"["M", "N"]>] cores 1 buffers {} {
^bb0(%n: index, %a: !out, %c: !out):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    // CHECK-NOT:  set_flag
    // CHECK:      aicore.vector_cores 2 {
    // CHECK:        aicore.set_flag [mte3 -> mte2] 0 +
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.for
    %x = aicore.alloc "x" of "ub" copies 1 : !ub
    scf.for %i = %zero to %n step %one {
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        %s = aicore.slot %i of %x : !ub
        // CHECK:      aicore.wait_flag [mte3 -> mte2] 0 +
        // CHECK-NEXT: aicore.load
        aicore.load %a[%i, %zero] along [0, 1] size(%k, %k) -> %x[%s] pad 1 : !out -> !ub
        // CHECK-NEXT: aicore.set_flag [mte2 -> mte3] 0 +
        // CHECK-NEXT: aicore.wait_flag [mte2 -> mte3] 0 +
        // CHECK-NEXT: aicore.store
        aicore.store %x[%s] -> %c[%i, %zero] along [0, 1] size(%k, %k) : !ub -> !out
        // CHECK-NEXT: aicore.set_flag [mte3 -> mte2] 0 +
      }
    }
    // CHECK:      aicore.vector_cores 2 {
    // CHECK:        aicore.wait_flag [mte3 -> mte2] 0 +
    // CHECK-NEXT: }
    // CHECK-NEXT: }
  }
}
}
