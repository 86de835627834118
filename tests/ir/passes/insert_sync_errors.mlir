// Flags are few; the error on too few names the buffers that use them.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --aicore-insert-sync

// expected-error @+1 {{expected a machine; run mmk-apply-variant first}}
module {
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 1, vector_cores = 2, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 4, cross_flags = 4>
!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<64x64xf16, #aicore.space<l1>>
!l0a = memref<64x16xf16, #aicore.space<l0a>>

// Different copies cannot share: three and two make five.
module attributes {aicore.machine = #machine} {
aicore.kernel @k dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    %a1 = aicore.alloc "a" of "l1" copies 3 : !l1
    // expected-error @+1 {{this variant needs 5 event ids from mte2 to mte1, but tiny has 4 for each pair of pipes; taken by a (3), b (2): fewer copies (buffers.l1) need fewer; nearest legal: buffers.l1 = 2}}
    %b1 = aicore.alloc "b" of "l1" copies 2 : !l1
    %a0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %a1 : !l1
      aicore.load %a[%i, %zero] along [0, 1] size(%one, %one) -> %a1[%s] pad 16 : !gm -> !l1
      %t = aicore.slot %i of %b1 : !l1
      aicore.load %a[%zero, %i] along [0, 1] size(%one, %one) -> %b1[%t] pad 16 : !gm -> !l1
      %u = aicore.slot %i of %a0 : !l0a
      aicore.load_l0 %a1[%s] at(%zero, %zero) size(%one, %one) -> %a0[%u] : !l1 -> !l0a
      aicore.load_l0 %b1[%t] at(%zero, %zero) size(%one, %one) -> %a0[%u] : !l1 -> !l0a
    }
  }
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 1, vector_cores = 2, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 4>
!acc = memref<64x32xf32, #aicore.space<l0c>>
!tile = memref<64x32xf32, #aicore.space<gm>>
!ub = memref<32x32xf32, #aicore.space<ub>>

// Both directions count: three there and three back.
module attributes {aicore.machine = #machine} {
aicore.kernel @k dims ["N"] args [] results [] cores 1 buffers {} {
^bb0(%n: index):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    %acc = aicore.alloc "acc" of "acc" copies 1 : !acc
    // expected-error @+1 {{this variant needs 6 flags between cube and vector cores, but tiny has 4; fewer copies of acc (buffers.out) need fewer; nearest legal: buffers.out = 2}}
    %tiles = aicore.alloc "acc" of "out" copies 3 : !tile
    %x = aicore.alloc "acc" of "ub" copies 1 : !ub
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %acc : !acc
      %w = aicore.slot %i of %tiles : !tile
      aicore.spill %acc[%s] size(%one, %one) -> %tiles[%w] : !acc -> !tile
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        %t = aicore.slot %i of %x : !ub
        aicore.fetch %tiles[%w] at(%zero) size(%one, %one) -> %x[%t] : !tile -> !ub
      }
    }
  }
}
}

// -----

#machine = #aicore.machine<"tiny", coupled, cores = 1, vector_cores = 1, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 4>
!out = memref<?x?xf32, #aicore.space<gm>>
!acc = memref<64x32xf32, #aicore.space<l0c>>
!ub = memref<64x32xf32, #aicore.space<ub>>

// Filled alternately by two pipes, whose order no pair of flags can keep.
module attributes {aicore.machine = #machine} {
aicore.kernel @k dims ["N"] args [#mmk.named<"x"["M", "N"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !out):
  %zero = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %acc = aicore.alloc "acc" of "acc" copies 1 : !acc
    // expected-error @+1 {{'aicore.alloc' op is accessed in turns by mte2 and vector in the life of one slot, which no pair of flags can order}}
    %x = aicore.alloc "x" of "ub" copies 1 : !ub
    %s = aicore.slot %zero of %x : !ub
    %t = aicore.slot %zero of %acc : !acc
    aicore.load %a[%zero, %zero] along [0, 1] size(%n, %n) -> %x[%s] pad 1 : !out -> !ub
    aicore.drain %acc[%t] at(%zero) size(%n, %n) -> %x[%s] : !acc -> !ub
    aicore.load %a[%zero, %zero] along [0, 1] size(%n, %n) -> %x[%s] pad 1 : !out -> !ub
  }
}
}

// -----

#machine = #aicore.machine<"tiny", coupled, cores = 1, vector_cores = 1, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 4>
!out = memref<?x?xf32, #aicore.space<gm>>
!ub = memref<64x32xf32, #aicore.space<ub>>

// A bare number says nothing about how long the slot belongs to one generation.
module attributes {aicore.machine = #machine} {
aicore.kernel @k dims ["N"] args [#mmk.named<"x"["M", "N"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !out):
  %zero = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.load' op expected an aicore.slot for x}}
    aicore.load %a[%zero, %zero] along [0, 1] size(%n, %n) -> %x[%zero] pad 1 : !out -> !ub
  }
}
}

// -----

#machine = #aicore.machine<"tiny", coupled, cores = 1, vector_cores = 1, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 4>

// A second time would order everything twice, by other events.
module attributes {aicore.machine = #machine} {
aicore.kernel @k dims ["N"] args [] results [] cores 1 buffers {} {
^bb0(%n: index):
  %zero = arith.constant 0 : index
  // expected-error @+1 {{'aicore.phase' op has flags already}}
  aicore.phase {
  ^bb0(%block: index):
    aicore.set_flag [mte2 -> mte1] 0 + %zero
    aicore.wait_flag [mte2 -> mte1] 0 + %zero
  }
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 1, vector_cores = 2, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 4, cross_flags = 4>
!acc = memref<64x32xf32, #aicore.space<l0c>>

module attributes {aicore.machine = #machine} {
aicore.kernel @k dims ["N"] args [] results [] cores 1 buffers {} {
^bb0(%n: index):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.alloc' op has an aicore.producer_acquire or an aicore.producer_commit without the other}}
    %acc = aicore.alloc "acc" of "acc" copies 1 parts 2 : !acc
    %s = aicore.slot %block of %acc : !acc
    aicore.producer_acquire %acc[%s] part 0 : !acc
  }
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 1, vector_cores = 2, memories = {gm = [1099511627776, 512]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 4>
!acc = memref<64x32xf32, #aicore.space<l0c>>
!tile = memref<64x32xf32, #aicore.space<gm>>
!ub = memref<32x32xf32, #aicore.space<ub>>

// Both vector cores read their parts of the earlier, and no flag orders one with the other.
module attributes {aicore.machine = #machine} {
aicore.kernel @k dims ["N"] args [] results [] cores 1 buffers {} {
^bb0(%n: index):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    %acc = aicore.alloc "acc" of "acc" copies 1 : !acc
    %tiles = aicore.alloc "earlier" of "out" copies 1 at 0 : !tile
    // expected-error @+1 {{'aicore.alloc' op takes bytes of earlier in global memory, where flags of one core order too little}}
    %others = aicore.alloc "later" of "out" copies 1 at 0 : !tile
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %acc : !acc
      %w = aicore.slot %i of %tiles : !tile
      aicore.spill %acc[%s] size(%one, %one) -> %tiles[%w] : !acc -> !tile
    }
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %acc : !acc
      %w = aicore.slot %i of %others : !tile
      aicore.spill %acc[%s] size(%one, %one) -> %others[%w] : !acc -> !tile
    }
  }
}
}
