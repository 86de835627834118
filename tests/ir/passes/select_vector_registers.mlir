// Vector instructions of a machine whose vector unit has registers: what lies between them needs no
// scratch in UB, as far as the registers beside those of the operands go.
// RUN: mmk-opt %s --aicore-select-vector | FileCheck %s
// RUN: sed 's/registers 4/registers 3/' %s | mmk-opt --aicore-select-vector | FileCheck --check-prefix FEWER %s

#machine = #aicore.machine<"registers", split, cores = 2, vector_cores = 2, memories = {gm = [1099511627776, 512], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16 registers 4>
!tile = memref<32x64xf32, #aicore.space<ub>>

// CHECK-NOT:   scratch
// CHECK:       aicore.vector ins(%x_ub[%c0] full : {{.*}}) outs(%y_ub[%c0] : {{.*}}) registers 2 size(%c0, %c0) {
// CHECK-NEXT:  ^bb0(%x: !aicore.tile<f32>, %y: !aicore.tile<f32>, %register: !aicore.tile<f32>, %[[OTHER:.*]]: !aicore.tile<f32>):
// CHECK-NEXT:    aicore.vec exp %x -> %y :
// CHECK-NEXT:    aicore.vec abs %x -> %register :
// CHECK-NEXT:    aicore.vec sqrt %x -> %[[OTHER]] :
// CHECK-NEXT:    aicore.vec add %y, %register -> %y :
// CHECK-NEXT:    aicore.vec div %y, %[[OTHER]] -> %y :

// FEWER:       %scratch_ub = aicore.alloc "scratch" of "scratch" copies 1 : memref<32x64xf32, #aicore.space<ub>>
// FEWER:       aicore.vector ins(%x_ub[%c0] full : {{.*}}) outs(%y_ub[%c0] : {{.*}}) scratch(%scratch_ub[0] : {{.*}}) registers 1 size(
module attributes {aicore.machine = #machine} {
  aicore.kernel @in_registers dims ["M"] args [] results [] cores 1 buffers {} {
  ^bb0(%m: index):
    %c0 = arith.constant 0 : index
    aicore.phase {
    ^bb0(%block: index):
      %x = aicore.alloc "x" of "ub" copies 1 : !tile
      %y = aicore.alloc "y" of "out" copies 1 : !tile
      aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !tile) size(%c0, %c0) {
      ^bb0(%a: f32):
        %e = math.exp %a : f32
        %f = math.absf %a : f32
        %g = math.sqrt %a : f32
        %s = arith.addf %e, %f : f32
        %d = arith.divf %s, %g : f32
        aicore.yield %d : f32
      }
    }
  }
}
