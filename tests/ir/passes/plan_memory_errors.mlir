// The error on an overflow lists all buffers.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --aicore-plan-memory

// expected-error @+1 {{expected a machine; run mmk-apply-variant first}}
module {
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 1, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [2048, 512], l1 = [16384, 32], ub = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<64x64xf16, #aicore.space<l1>>
!l0 = memref<64x16xf16, #aicore.space<l0a>>
!odd = memref<1x5xf16, #aicore.space<l1>>

// Two memories overflow at once, and both are reported; L1 by 10 bytes in 32.
module attributes {aicore.machine = #machine} {
aicore.kernel @k dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+2 {{L1 of tiny holds 16384 bytes (16 KiB), but this variant needs 16416 bytes (16.03 KiB)}}
    // expected-note @+1 {{a: 2 copies of 64 x 64 f16, 16384 bytes (16 KiB), for line 33}}
    %l1 = aicore.alloc "a" of "l1" copies 2 : !l1
    // expected-note @+1 {{odd: 1 copy of 1 x 5 f16, 32 bytes, for line 34}}
    %odd = aicore.alloc "odd" of "l1" copies 1 : !odd
    // expected-error @+2 {{L0A of tiny holds 2048 bytes (2 KiB), but this variant needs 4096 bytes (4 KiB)}}
    // expected-note @+1 {{a: 2 copies of 64 x 16 f16, 4096 bytes (4 KiB), for line 35}}
    %l0 = aicore.alloc "a" of "l0" copies 2 : !l0
    scf.for %i = %c0 to %n step %c1 {
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %l1[%c0] pad 16 : !gm -> !l1
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %odd[%c0] pad 16 : !gm -> !odd
      aicore.load_l0 %l1[%c0] at(%c0, %c0) size(%c1, %c1) -> %l0[%c0] : !l1 -> !l0
    }
  }
}
}

// -----

#machine = #aicore.machine<"cubeless", split, cores = 1, vector_cores = 2, memories = {gm = [1099511627776, 512], ub = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {}, event_ids = 6, cross_flags = 16>
!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<64x64xf16, #aicore.space<l1>>

// A machine without the memory holds nothing in it.
module attributes {aicore.machine = #machine} {
aicore.kernel @k dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+2 {{L1 of cubeless holds 0 bytes, but this variant needs 8192 bytes (8 KiB)}}
    // expected-note @+1 {{a: 1 copy of 64 x 64 f16, 8192 bytes (8 KiB), for line 57}}
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    aicore.load %a[%c0, %c0] along [0, 1] size(%n, %n) -> %l1[%c0] pad 16 : !gm -> !l1
  }
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 1, vector_cores = 2, memories = {gm = [1099511627776, 512], l1 = [16384, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<64x64xf16, #aicore.space<l1>>

// For buffers that do not all live at once the error gives their lives: the first two and the last
// two would fit, `both` together with them does not.
module attributes {aicore.machine = #machine} {
aicore.kernel @k dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+2 {{L1 of tiny holds 16384 bytes (16 KiB), but this variant needs 24576 bytes (24 KiB)}}
    // expected-note @+1 {{first: 2 copies of 64 x 64 f16, 16384 bytes (16 KiB), alive from step 1 to 1, for line}}
    %first = aicore.alloc "first" of "l1" copies 2 : !l1
    // expected-note @+1 {{both: 1 copy of 64 x 64 f16, 8192 bytes (8 KiB), alive from step 1 to 2, for line}}
    %both = aicore.alloc "both" of "l1" copies 1 : !l1
    // expected-note @+1 {{second: 1 copy of 64 x 64 f16, 8192 bytes (8 KiB), alive from step 2 to 2, for line}}
    %second = aicore.alloc "second" of "l1" copies 1 : !l1
    scf.for %i = %c0 to %n step %c1 {
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %both[%c0] pad 16 : !gm -> !l1
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %first[%c0] pad 16 : !gm -> !l1
    }
    scf.for %i = %c0 to %n step %c1 {
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %both[%c0] pad 16 : !gm -> !l1
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %second[%c0] pad 16 : !gm -> !l1
    }
  }
}
}
