// Loops of a vector unit with registers are one function where no flag stands between them: flags of
// its own pipe for buffers of several copies go in front of the first loop and behind the last, with
// the slots that they need. Other instructions, flags of a single copy and flags between the cores end
// a function. Without registers nothing changes.
// RUN: mmk-opt %s --aicore-join-functions | FileCheck %s
// RUN: sed 's/ registers 32//' %s | mmk-opt --aicore-join-functions | FileCheck --check-prefix UB %s

#machine = #aicore.machine<"registers", split, cores = 2, vector_cores = 2, memories = {gm = [1099511627776, 512], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16 registers 32>
!tile = memref<32x64xf32, #aicore.space<ub>>
!row = memref<1x64xf32, #aicore.space<ub>>

// CHECK:       aicore.wait_flag [mte2 -> vector] 0
// CHECK:       %[[SLOT:.*]] = aicore.slot
// CHECK-NEXT:  aicore.wait_flag [mte3 -> vector] 1 + %[[SLOT]]
// CHECK-NEXT:  aicore.reduce max
// CHECK-NOT:   flag
// CHECK:       aicore.vector ins
// CHECK:       aicore.set_flag [vector -> mte2] 0
// CHECK-NEXT:  aicore.set_flag [vector -> mte3] 1 + %[[SLOT]]
// CHECK-NEXT:  aicore.set_cross vector to cube 0
// CHECK-NEXT:  aicore.reduce add
// CHECK-NEXT:  aicore.set_flag [vector -> mte3] 3
// CHECK-NEXT:  aicore.reduce max

// UB:          aicore.wait_flag [mte2 -> vector] 0
// UB-NEXT:     aicore.reduce max
// UB-NEXT:     aicore.set_flag [vector -> mte2] 0
// UB:          aicore.wait_flag [mte3 -> vector] 1
module attributes {aicore.machine = #machine} {
  aicore.kernel @loops dims ["M"] args [] results [] cores 1 buffers {} {
  ^bb0(%m: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    aicore.phase {
    ^bb0(%block: index):
      %x = aicore.alloc "x" of "ub" copies 2 : !tile
      %y = aicore.alloc "y" of "out" copies 2 : !tile
      %r = aicore.alloc "r" of "scratch" copies 1 : !row
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        %t = aicore.slot %v of %x : !tile
        aicore.wait_flag [mte2 -> vector] 0 + %t
        aicore.reduce max %x[%t] size(%c1, %c1) -> %r[%c0] : !row from !tile
        aicore.set_flag [vector -> mte2] 0 + %t
        %i = arith.addi %v, %c1 : index
        %s = aicore.slot %i of %y : !tile
        aicore.wait_flag [mte3 -> vector] 1 + %s
        aicore.vector ins(%x[%t] full, %r[%c0] column : !tile, !row) outs(%y[%s] : !tile) size(%c1, %c1) {
        ^bb0(%a: !aicore.tile<f32>, %b: !aicore.tile<f32>, %c: !aicore.tile<f32>):
          aicore.vec sub %a, %b -> %c : !aicore.tile<f32>, !aicore.tile<f32> -> !aicore.tile<f32>
          aicore.yield
        }
        aicore.set_flag [vector -> mte3] 1 + %s
        aicore.set_cross vector to cube 0 + %c0
        aicore.reduce add %x[%t] size(%c1, %c1) -> %r[%c0] : !row from !tile
        aicore.set_flag [vector -> mte3] 3 + %c0
        aicore.reduce max %x[%t] size(%c1, %c1) -> %r[%c0] : !row from !tile
      }
    }
  }
}
