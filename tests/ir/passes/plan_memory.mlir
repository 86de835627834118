// Byte offsets, with reuse by live range.
// RUN: mmk-opt %s --aicore-plan-memory | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 1, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l1 = [16384, 32], ub = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
!gm = memref<?x?xf16, #aicore.space<gm>>
!big = memref<64x32xf16, #aicore.space<l1>>
!small = memref<16x32xf16, #aicore.space<l1>>
!odd = memref<1x5xf32, #aicore.space<ub>>
!l0 = memref<64x16xf16, #aicore.space<l0a>>
!ub = memref<8x16xf32, #aicore.space<ub>>

module attributes {aicore.machine = #machine} {

// Used in one loop, all are alive together: one after the other, the larger first, with all copies.
// Each memory counts from 0.
// CHECK-LABEL: aicore.kernel @together
// CHECK:         aicore.alloc "small" of "l1" copies 3 at 8192 :
// CHECK-NEXT:    aicore.alloc "big" of "l1" copies 2 at 0 :
// CHECK-NEXT:    aicore.alloc "last" of "l1" copies 1 at 11264 :
// CHECK-NEXT:    aicore.alloc "a" of "l0" copies 1 at 0 :
aicore.kernel @together dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    %small = aicore.alloc "small" of "l1" copies 3 : !small
    %big = aicore.alloc "big" of "l1" copies 2 : !big
    %last = aicore.alloc "last" of "l1" copies 1 : !small
    %l0 = aicore.alloc "a" of "l0" copies 1 : !l0
    scf.for %i = %c0 to %n step %c1 {
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %small[%c0] pad 16 : !gm -> !small
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %big[%c0] pad 16 : !gm -> !big
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %last[%c0] pad 16 : !gm -> !small
      aicore.load_l0 %big[%c0] at(%c0, %c0) size(%c1, %c1) -> %l0[%c0] : !big -> !l0
    }
  }
}

// Two loops, one after the other: buffers used only in the first share bytes with those used only
// in the second. `both` is used in each and shares none. In sum 16384 bytes would not fit beside
// it.
// CHECK-LABEL: aicore.kernel @reuse
// CHECK:         aicore.alloc "both" of "l1" copies 1 at 8192 :
// CHECK-NEXT:    aicore.alloc "first" of "l1" copies 2 at 0 :
// CHECK-NEXT:    aicore.alloc "second" of "l1" copies 2 at 0 :
aicore.kernel @reuse dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    %both = aicore.alloc "both" of "l1" copies 1 : !small
    %first = aicore.alloc "first" of "l1" copies 2 : !big
    %second = aicore.alloc "second" of "l1" copies 2 : !big
    scf.for %i = %c0 to %n step %c1 {
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %both[%c0] pad 16 : !gm -> !small
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %first[%c0] pad 16 : !gm -> !big
    }
    scf.for %i = %c0 to %n step %c1 {
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %both[%c0] pad 16 : !gm -> !small
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %second[%c0] pad 16 : !gm -> !big
    }
  }
}

// A hole that is large enough is filled, one that is too small is not: the lives of `big` and
// `left` have ended when the second loop begins; `wide` does not fit the 1024 bytes that `left`
// leaves in front of `stays`.
// CHECK-LABEL: aicore.kernel @holes
// CHECK:         aicore.alloc "left" of "l1" copies 1 at 0 :
// CHECK-NEXT:    aicore.alloc "stays" of "l1" copies 1 at 1024 :
// CHECK-NEXT:    aicore.alloc "wide" of "l1" copies 1 at 2048 :
// CHECK-NEXT:    aicore.alloc "narrow" of "l1" copies 1 at 0 :
aicore.kernel @holes dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    %left = aicore.alloc "left" of "l1" copies 1 : !small
    %stays = aicore.alloc "stays" of "l1" copies 1 : !small
    %wide = aicore.alloc "wide" of "l1" copies 1 : !big
    %narrow = aicore.alloc "narrow" of "l1" copies 1 : !small
    scf.for %i = %c0 to %n step %c1 {
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %left[%c0] pad 16 : !gm -> !small
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %stays[%c0] pad 16 : !gm -> !small
    }
    scf.for %i = %c0 to %n step %c1 {
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %stays[%c0] pad 16 : !gm -> !small
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %wide[%c0] pad 16 : !gm -> !big
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %narrow[%c0] pad 16 : !gm -> !small
    }
  }
}

// Each copy begins at a multiple of the memory's alignment: 20 bytes take 32, three copies 96.
// CHECK-LABEL: aicore.kernel @alignment
// A buffer that no instruction accesses lives as long as the phase.
// CHECK:         aicore.alloc "odd" of "ub" copies 3 at 512 :
// CHECK-NEXT:    aicore.alloc "x" of "ub" copies 1 at 0 :
// CHECK-NEXT:    aicore.alloc "odd2" of "ub" copies 1 at 608 :
// CHECK-NEXT:    aicore.alloc "scratch" of "scratch" copies 1 at 640 :
aicore.kernel @alignment dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: memref<?x?xf32, #aicore.space<gm>>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    %odd = aicore.alloc "odd" of "ub" copies 3 : !odd
    %x = aicore.alloc "x" of "ub" copies 1 : !ub
    %odd2 = aicore.alloc "odd2" of "ub" copies 1 : !odd
    %scratch = aicore.alloc "scratch" of "scratch" copies 1 : !odd
    scf.for %i = %c0 to %n step %c1 {
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %odd[%c0] pad 1 : memref<?x?xf32, #aicore.space<gm>> -> !odd
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %x[%c0] pad 1 : memref<?x?xf32, #aicore.space<gm>> -> !ub
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %odd2[%c0] pad 1 : memref<?x?xf32, #aicore.space<gm>> -> !odd
    }
  }
}

// Another phase begins with empty memories.
// CHECK-LABEL: aicore.kernel @phases
// CHECK:         aicore.alloc "one" of "l1" copies 2 at 0 :
// CHECK:         aicore.alloc "two" of "l1" copies 4 at 0 :
aicore.kernel @phases dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    %one = aicore.alloc "one" of "l1" copies 2 : !big
    aicore.load %a[%c0, %c0] along [0, 1] size(%c1, %c1) -> %one[%c0] pad 16 : !gm -> !big
  }
  aicore.phase {
  ^bb0(%block: index):
    %two = aicore.alloc "two" of "l1" copies 4 : !big
    aicore.load %a[%c0, %c0] along [0, 1] size(%c1, %c1) -> %two[%c0] pad 16 : !gm -> !big
  }
}

// By start of life, `long` (in the last two loops) would be after `early` (in the first two), and
// `late` after it, up to 16384 bytes. With the larger first, `long` is after `late`, and all end at
// 12288.
// CHECK-LABEL: aicore.kernel @by_size
// CHECK:         aicore.alloc "early" of "l1" copies 1 at 0 :
// CHECK-NEXT:    aicore.alloc "long" of "l1" copies 4 at 8192 :
// CHECK-NEXT:    aicore.alloc "late" of "l1" copies 2 at 0 :
aicore.kernel @by_size dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%n: index, %a: !gm):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    %early = aicore.alloc "early" of "l1" copies 1 : !big
    %long = aicore.alloc "long" of "l1" copies 4 : !small
    %late = aicore.alloc "late" of "l1" copies 2 : !big
    scf.for %i = %c0 to %n step %c1 {
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %early[%c0] pad 16 : !gm -> !big
    }
    scf.for %i = %c0 to %n step %c1 {
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %early[%c0] pad 16 : !gm -> !big
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %long[%c0] pad 16 : !gm -> !small
    }
    scf.for %i = %c0 to %n step %c1 {
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %long[%c0] pad 16 : !gm -> !small
      aicore.load %a[%i, %c0] along [0, 1] size(%c1, %c1) -> %late[%c0] pad 16 : !gm -> !big
    }
  }
}
}
