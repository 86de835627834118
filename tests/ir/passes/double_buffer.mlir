// Copies of the buffers, and transfers moved ahead of the work that they feed.
// RUN: mmk-opt %s --aicore-double-buffer --canonicalize --cse | FileCheck %s

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<64x64xf16, #aicore.space<l1>>
!l0 = memref<64x16xf16, #aicore.space<l0a>>
!tile = memref<64x32xf32, #aicore.space<gm>>
!acc = memref<64x32xf32, #aicore.space<l0c>>
!ub = memref<16x32xf32, #aicore.space<ub>>
!row = memref<1x32xf32, #aicore.space<ub>>
!bias = memref<?xf32, #aicore.space<gm>>

// Two copies: the first transfer is before the loop, the next one overlaps with the work on this
// one. Both run only when their iteration exists, also the first: a loop may have none.
// CHECK-LABEL: aicore.kernel @two
// CHECK:       ^bb0(%N: index, %[[A:a]]: memref
// CHECK:         %[[L1:.*]] = aicore.alloc "a" of "l1" copies 2
// CHECK:         scf.for
// CHECK-NEXT:      %[[ANY:.*]] = arith.cmpi sgt, %N, %c0
// CHECK-NEXT:      scf.if %[[ANY]] {
// CHECK-NEXT:        %[[SLOT0:.*]] = aicore.slot %c0 of %[[L1]]
// CHECK-NEXT:        aicore.load %[[A]][%c0, %c0] {{.*}} -> %[[L1]][%[[SLOT0]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %[[I:.*]] = %c0 to %N step %c1 {
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK-NEXT:        %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %N
// CHECK-NEXT:        scf.if %[[MORE]] {
// CHECK-NEXT:          %[[SLOT1:.*]] = aicore.slot %[[NEXT]] of %[[L1]]
// CHECK-NEXT:          aicore.load %[[A]][%[[NEXT]], %c0] {{.*}} -> %[[L1]][%[[SLOT1]]]
// CHECK-NEXT:        }
// The work keeps its own iteration and slot.
// CHECK-NEXT:        %[[SLOT:.*]] = aicore.slot %[[I]] of %[[L1]]
// CHECK-NEXT:        aicore.load_l0 %[[L1]][%[[SLOT]]]
// CHECK-NEXT:      }
aicore.kernel @two dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {l1 = 2 : i64} {
^bb0(%n: index, %a: !gm):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %l0 = aicore.alloc "a" of "l0" copies 1 : !l0
    scf.for %tile = %c0 to %n step %c1 {
      scf.for %i = %c0 to %n step %c1 {
        %s = aicore.slot %i of %l1 : !l1
        aicore.load %a[%i, %c0] along [0, 1] size(%c64, %c64) -> %l1[%s] pad 16 : !gm -> !l1
        aicore.load_l0 %l1[%s] at(%c0, %c0) size(%c64, %c64) -> %l0[%c0] : !l1 -> !l0
      }
    }
  }
}

// With one copy no transfer can be moved ahead: the order is unchanged.
// CHECK-LABEL: aicore.kernel @one
// CHECK:         aicore.alloc "a" of "l1" copies 1
// CHECK-NOT:     scf.if
// CHECK:         scf.for
// CHECK-NEXT:      scf.for %[[I:.*]] = %c0
// CHECK-NEXT:        %[[SLOT:.*]] = aicore.slot %[[I]]
// CHECK-NEXT:        aicore.load
// CHECK-NEXT:        aicore.load_l0
// CHECK-NEXT:      }
// CHECK-NEXT:    }
aicore.kernel @one dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {l1 = 1 : i64} {
^bb0(%n: index, %a: !gm):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %l0 = aicore.alloc "a" of "l0" copies 1 : !l0
    scf.for %tile = %c0 to %n step %c1 {
      scf.for %i = %c0 to %n step %c1 {
        %s = aicore.slot %i of %l1 : !l1
        aicore.load %a[%i, %c0] along [0, 1] size(%c64, %c64) -> %l1[%s] pad 16 : !gm -> !l1
        aicore.load_l0 %l1[%s] at(%c0, %c0) size(%c64, %c64) -> %l0[%c0] : !l1 -> !l0
      }
    }
  }
}

// Three copies of A and two of B: A is loaded two iterations ahead, B one. Each distance has its
// own branch, since their last iterations differ. The loop steps by 64.
// CHECK-LABEL: aicore.kernel @three
// CHECK:       ^bb0(%N: index, %[[A:a]]: memref
// CHECK:         %[[A1:.*]] = aicore.alloc "a" of "l1" copies 3
// CHECK-NEXT:    %[[B1:.*]] = aicore.alloc "b" of "l1" copies 2
// CHECK:         scf.for
// CHECK-NEXT:      %[[ANY:.*]] = arith.cmpi sgt, %N, %c0
// CHECK-NEXT:      scf.if %[[ANY]] {
// CHECK-NEXT:        %[[A0:.*]] = aicore.slot %c0 of %[[A1]]
// CHECK-NEXT:        aicore.load %[[A]][%c0, %c0] {{.*}} -> %[[A1]][%[[A0]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[SECOND:.*]] = arith.cmpi sgt, %N, %c64
// CHECK-NEXT:      scf.if %[[SECOND]] {
// CHECK-NEXT:        %[[A64:.*]] = aicore.slot %c64 of %[[A1]]
// CHECK-NEXT:        aicore.load %[[A]][%c64, %c0] {{.*}} -> %[[A1]][%[[A64]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.if %[[ANY]] {
// CHECK-NEXT:        %[[B0:.*]] = aicore.slot %c0 of %[[B1]]
// CHECK-NEXT:        aicore.load %[[A]][%c0, %c0] {{.*}} -> %[[B1]][%[[B0]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %[[I:.*]] = %c0 to %N step %c64 {
// CHECK-NEXT:        %[[PLUS1:.*]] = arith.addi %[[I]], %c64
// CHECK-NEXT:        %[[MORE1:.*]] = arith.cmpi slt, %[[PLUS1]], %N
// CHECK-NEXT:        scf.if %[[MORE1]] {
// CHECK:               aicore.load %[[A]][%[[PLUS1]], %c0] {{.*}} -> %[[B1]]
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[PLUS2:.*]] = arith.addi %[[I]], %c128
// CHECK-NEXT:        %[[MORE2:.*]] = arith.cmpi slt, %[[PLUS2]], %N
// CHECK-NEXT:        scf.if %[[MORE2]] {
// CHECK:               aicore.load %[[A]][%[[PLUS2]], %c0] {{.*}} -> %[[A1]]
// CHECK-NEXT:        }
// CHECK:             aicore.load_l0 %[[A1]]
// CHECK:             aicore.load_l0 %[[B1]]
aicore.kernel @three dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {l1 = 2 : i64, "l1.a" = 3 : i64} {
^bb0(%n: index, %a: !gm):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %b1 = aicore.alloc "b" of "l1" copies 1 : !l1
    %l0 = aicore.alloc "a" of "l0" copies 1 : !l0
    scf.for %tile = %c0 to %n step %c1 {
      scf.for %i = %c0 to %n step %c64 {
        %s = aicore.slot %i of %l1 : !l1
        aicore.load %a[%i, %c0] along [0, 1] size(%c64, %c64) -> %l1[%s] pad 16 : !gm -> !l1
        %t = aicore.slot %i of %b1 : !l1
        aicore.load %a[%i, %c0] along [0, 1] size(%c64, %c64) -> %b1[%t] pad 16 : !gm -> !l1
        aicore.load_l0 %l1[%s] at(%c0, %c0) size(%c64, %c64) -> %l0[%c0] : !l1 -> !l0
        aicore.load_l0 %b1[%t] at(%c0, %c0) size(%c64, %c64) -> %l0[%c0] : !l1 -> !l0
      }
    }
  }
}

// Two nested loops: the first transfer of the inner one follows the next one of the outer, in the
// body of the outer loop, and uses the data of its current iteration.
// CHECK-LABEL: aicore.kernel @nested
// CHECK:           scf.if
// CHECK-NEXT:        aicore.slot %c0 of %a_l1
// CHECK-NEXT:        aicore.load
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %[[I:.*]] = %c0 to %N
// CHECK:             scf.if
// CHECK:               aicore.load
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[SLOT:.*]] = aicore.slot %[[I]] of %a_l1
// CHECK:             scf.if
// CHECK:               aicore.load_l0 %a_l1[%[[SLOT]]] at(%c0, %c0) {{.*}} -> %a_l0a
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.for %[[K:.*]] = %c0 to %N
// CHECK-NEXT:          %[[NEXT:.*]] = arith.addi %[[K]], %c1
// CHECK:               scf.if
// CHECK:                 aicore.load_l0 %a_l1[%[[SLOT]]] at(%c0, %[[NEXT]]) {{.*}} -> %a_l0a
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
aicore.kernel @nested dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {l0 = 2 : i64, l1 = 2 : i64} {
^bb0(%n: index, %a: !gm):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %l0 = aicore.alloc "a" of "l0" copies 1 : !l0
    scf.for %tile = %c0 to %n step %c1 {
      scf.for %i = %c0 to %n step %c1 {
        %s = aicore.slot %i of %l1 : !l1
        aicore.load %a[%i, %c0] along [0, 1] size(%c64, %c64) -> %l1[%s] pad 16 : !gm -> !l1
        scf.for %k = %c0 to %n step %c1 {
          %number = arith.addi %i, %k : index
          %t = aicore.slot %number of %l0 : !l0
          aicore.load_l0 %l1[%s] at(%c0, %k) size(%c64, %c64) -> %l0[%t] : !l1 -> !l0
        }
      }
    }
  }
}

// A transfer once a tile stays in the loop over tiles. A fetch is moved ahead like a load, a drain
// is not: its accumulator has just been computed. Output and accumulator get their copies, too.
// CHECK-LABEL: aicore.kernel @vector
// CHECK-DAG:     aicore.alloc "acc" of "acc" copies 2
// CHECK-DAG:     aicore.alloc "acc" of "ub" copies 2
// CHECK-DAG:     aicore.alloc "drained" of "ub" copies 2
// CHECK-DAG:     aicore.alloc "bias" of "ub" copies 2
// CHECK-DAG:     aicore.alloc "acc" of "out" copies 3
// The schedule has no copies of scratch.
// CHECK-DAG:     aicore.alloc "scratch" of "scratch" copies 1
// CHECK:         scf.for %[[TILE:.*]] = %c0
// CHECK-NEXT:      aicore.vector_cores 2 {
// CHECK-NEXT:      ^bb0(
// CHECK-NEXT:        aicore.slot %[[TILE]] of %bias_ub
// CHECK-NEXT:        aicore.load
// CHECK:             scf.if
// CHECK:               aicore.fetch
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.for
// CHECK:               scf.if
// CHECK:                 aicore.fetch
// CHECK-NEXT:          }
// CHECK-NOT:           scf.if
// CHECK:               aicore.drain
aicore.kernel @vector dims ["N"] args [#mmk.named<"bias"["N"]>] results [] cores 1 buffers {acc = 2 : i64, out = 3 : i64, ub = 2 : i64} {
^bb0(%n: index, %bias: !bias):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    %acc = aicore.alloc "acc" of "acc" copies 1 : !acc
    %tiles = aicore.alloc "acc" of "out" copies 1 : !tile
    %x = aicore.alloc "acc" of "ub" copies 1 : !ub
    %y = aicore.alloc "drained" of "ub" copies 1 : !ub
    %row = aicore.alloc "bias" of "ub" copies 1 : !row
    %scratch = aicore.alloc "scratch" of "scratch" copies 1 : !ub
    scf.for %tile = %c0 to %n step %c1 {
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        %r = aicore.slot %tile of %row : !row
        aicore.load %bias[%tile] along [-1, 0] size(%c1, %c16) -> %row[%r] pad 1 : !bias -> !row
        %w = aicore.slot %tile of %tiles : !tile
        scf.for %i = %c0 to %n step %c16 {
          %s = aicore.slot %i of %x : !ub
          aicore.fetch %tiles[%w] at(%i) size(%c16, %c16) -> %x[%s] : !tile -> !ub
          %t = aicore.slot %i of %y : !ub
          aicore.drain %acc[%c0] at(%i) size(%c16, %c16) -> %y[%t] : !acc -> !ub
        }
      }
    }
  }
}
