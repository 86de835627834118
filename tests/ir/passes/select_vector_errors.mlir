// Operations without a vector instruction.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --aicore-select-vector

!tile = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    aicore.vector ins(%x[%m] full : !tile) outs(%y[%m] : !tile) size(%m, %m) {
    ^bb0(%a: f32):
      // expected-error @+1 {{'math.sin' op has no vector instruction; legal: arith.addf, arith.addi, arith.andi, arith.cmpf}}
      %s = math.sin %a : f32
      aicore.yield %s : f32
    }
  }
}
