// Vector work is distributed to the vector cores by rows, in steps of the rows of a buffer.
// RUN: mmk-opt %s -split-input-file --aicore-distribute-vector-work --canonicalize --cse | FileCheck %s

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>

module attributes {aicore.machine = #machine} {

// The second core has the remaining rows. Inputs that do not depend on the rows are loaded once.
// CHECK-LABEL: aicore.kernel @rows
// CHECK:         scf.for %[[TILE:.*]] = %c0 to %M
// CHECK-NEXT:      aicore.vector_cores 2 {
// CHECK-NEXT:      ^bb0(%[[V:.*]]: index):
// CHECK-NEXT:        %[[PART:.*]] = arith.ceildivsi %M, %c2
// CHECK-NEXT:        %[[FIRST:.*]] = arith.muli %[[V]], %[[PART]]
// CHECK-NEXT:        %[[LEFT:.*]] = arith.subi %M, %[[FIRST]]
// CHECK-NEXT:        %[[LESS:.*]] = arith.minsi %[[PART]], %[[LEFT]]
// CHECK-NEXT:        %[[OWN:.*]] = arith.maxsi %[[LESS]], %c0
// CHECK-NEXT:        %[[T:.*]] = aicore.slot %[[TILE]] of %v_ub
// CHECK-NEXT:        aicore.load %v[%c0] along [-1, 0] size(%c1, %N) -> %v_ub[%[[T]]]
// CHECK-NEXT:        %[[BEFORE:.*]] = arith.muli %[[TILE]], %c3
// CHECK-NEXT:        scf.for %[[DONE:.*]] = %c0 to %[[OWN]] step %c8 {
// CHECK-NEXT:          %[[ROW:.*]] = arith.addi %[[FIRST]], %[[DONE]]
// CHECK-NEXT:          %[[REST:.*]] = arith.subi %[[OWN]], %[[DONE]]
// CHECK-NEXT:          %[[ROWS:.*]] = arith.minsi %[[REST]], %c8
// CHECK-NEXT:          %[[IN_TILE:.*]] = arith.divsi %[[DONE]], %c8
// CHECK-NEXT:          %[[STEP:.*]] = arith.addi %[[BEFORE]], %[[IN_TILE]]
// CHECK-NEXT:          %[[S:.*]] = aicore.slot %[[STEP]] of %x_ub
// CHECK-NEXT:          aicore.load %x[%[[ROW]], %c0] along [0, 1] size(%[[ROWS]], %N) -> %x_ub[%[[S]]]
// CHECK-NEXT:          %[[U:.*]] = aicore.slot %[[STEP]] of %out_ub
// CHECK-NEXT:          aicore.vector ins(%x_ub[%[[S]]] full, %v_ub[%[[T]]] row
// CHECK:               aicore.store %out_ub[%[[U]]] -> %y[%[[ROW]], %c0] along [0, 1] size(%[[ROWS]], %N)
// CHECK-NEXT:        }
// CHECK-NEXT:      }
aicore.kernel @rows dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>, #mmk.named<"v"["N"]>]
    results [#mmk.named<"y"["M", "N"]>] cores 4 buffers {} {
^bb0(%m: index, %n: index, %x: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>,
     %y: memref<?x?xf32, #aicore.space<gm>>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    %x_ub = aicore.alloc "x" of "ub" copies 1 : memref<8x32xf32, #aicore.space<ub>>
    %v_ub = aicore.alloc "v" of "ub" copies 1 : memref<1x32xf32, #aicore.space<ub>>
    %out_ub = aicore.alloc "out" of "out" copies 1 : memref<8x32xf32, #aicore.space<ub>>
    scf.for %tile = %c0 to %m step %c1 {
      aicore.vector_work %tile size(%m, %n) at(%c0) steps 3 height 8 {
      ^bb0(%row: index, %rows: index, %column: index, %columns: index, %step: index):
        %s = aicore.slot %step of %x_ub : memref<8x32xf32, #aicore.space<ub>>
        aicore.load %x[%row, %column] along [0, 1] size(%rows, %columns) -> %x_ub[%s] pad 1
          : memref<?x?xf32, #aicore.space<gm>> -> memref<8x32xf32, #aicore.space<ub>>
        %t = aicore.slot %tile of %v_ub : memref<1x32xf32, #aicore.space<ub>>
        aicore.load %v[%column] along [-1, 0] size(%c1, %columns) -> %v_ub[%t] pad 1
          : memref<?xf32, #aicore.space<gm>> -> memref<1x32xf32, #aicore.space<ub>>
        %u = aicore.slot %step of %out_ub : memref<8x32xf32, #aicore.space<ub>>
        aicore.vector ins(%x_ub[%s] full, %v_ub[%t] row : memref<8x32xf32, #aicore.space<ub>>, memref<1x32xf32, #aicore.space<ub>>)
            outs(%out_ub[%u] : memref<8x32xf32, #aicore.space<ub>>) size(%rows, %columns) {
        ^bb0(%e: f32, %w: f32):
          %sum = arith.addf %e, %w : f32
          aicore.yield %sum : f32
        }
        aicore.store %out_ub[%u] -> %y[%row, %column] along [0, 1] size(%rows, %columns)
          : memref<8x32xf32, #aicore.space<ub>> -> memref<?x?xf32, #aicore.space<gm>>
      }
    }
  }
}

// One row has columns to distribute; its loop has one step.
// CHECK-LABEL: aicore.kernel @line
// CHECK:         aicore.vector_cores 2 {
// CHECK-NEXT:    ^bb0(%[[V:.*]]: index):
// CHECK-NEXT:      %[[PART:.*]] = arith.ceildivsi %N, %c2
// CHECK-NEXT:      %[[FIRST:.*]] = arith.muli %[[V]], %[[PART]]
// CHECK-NEXT:      %[[LEFT:.*]] = arith.subi %N, %[[FIRST]]
// CHECK-NEXT:      %[[LESS:.*]] = arith.minsi %[[PART]], %[[LEFT]]
// CHECK-NEXT:      %[[OWN:.*]] = arith.maxsi %[[LESS]], %c0
// CHECK-NEXT:      %[[S:.*]] = aicore.slot
// CHECK-NEXT:      aicore.load %x[%[[FIRST]]] along [-1, 0] size(%c1, %[[OWN]]) -> %x_ub[%[[S]]]
// CHECK-NEXT:      aicore.store %x_ub[%[[S]]] -> %y[%[[FIRST]]] along [-1, 0] size(%c1, %[[OWN]])
aicore.kernel @line dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"y"["N"]>] cores 4 buffers {} {
^bb0(%n: index, %x: memref<?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    %x_ub = aicore.alloc "x" of "ub" copies 1 : memref<1x32xf32, #aicore.space<ub>>
    aicore.vector_work %block size(%c1, %n) at(%c0) steps 1 height 1 by_columns {
    ^bb0(%row: index, %rows: index, %column: index, %columns: index, %step: index):
      %s = aicore.slot %step of %x_ub : memref<1x32xf32, #aicore.space<ub>>
      aicore.load %x[%column] along [-1, 0] size(%rows, %columns) -> %x_ub[%s] pad 1
        : memref<?xf32, #aicore.space<gm>> -> memref<1x32xf32, #aicore.space<ub>>
      aicore.store %x_ub[%s] -> %y[%column] along [-1, 0] size(%rows, %columns)
        : memref<1x32xf32, #aicore.space<ub>> -> memref<?xf32, #aicore.space<gm>>
    }
  }
}

}

// -----

#coupled = #aicore.machine<"one", coupled, cores = 2, vector_cores = 1, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>

module attributes {aicore.machine = #coupled} {

// On a coupled chip the core itself takes all rows.
// CHECK-LABEL: aicore.kernel @coupled
// CHECK-NOT:     aicore.vector_cores
// CHECK:         scf.for %[[TILE:.*]] = %c0 to %M
// CHECK-NEXT:      aicore.slot %[[TILE]] of %v_ub
// CHECK-NEXT:      aicore.load %v
// CHECK-NEXT:      arith.muli
// CHECK-NEXT:      scf.for %[[DONE:.*]] = %c0 to %M step %c8 {
// CHECK:             aicore.load %x[%[[DONE]], %c0]
aicore.kernel @coupled dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>, #mmk.named<"v"["N"]>]
    results [#mmk.named<"y"["M", "N"]>] cores 4 buffers {} {
^bb0(%m: index, %n: index, %x: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>,
     %y: memref<?x?xf32, #aicore.space<gm>>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    %x_ub = aicore.alloc "x" of "ub" copies 1 : memref<8x32xf32, #aicore.space<ub>>
    %v_ub = aicore.alloc "v" of "ub" copies 1 : memref<1x32xf32, #aicore.space<ub>>
    %out_ub = aicore.alloc "out" of "out" copies 1 : memref<8x32xf32, #aicore.space<ub>>
    scf.for %tile = %c0 to %m step %c1 {
      aicore.vector_work %tile size(%m, %n) at(%c0) steps 3 height 8 {
      ^bb0(%row: index, %rows: index, %column: index, %columns: index, %step: index):
        %s = aicore.slot %step of %x_ub : memref<8x32xf32, #aicore.space<ub>>
        aicore.load %x[%row, %column] along [0, 1] size(%rows, %columns) -> %x_ub[%s] pad 1
          : memref<?x?xf32, #aicore.space<gm>> -> memref<8x32xf32, #aicore.space<ub>>
        %t = aicore.slot %tile of %v_ub : memref<1x32xf32, #aicore.space<ub>>
        aicore.load %v[%column] along [-1, 0] size(%c1, %columns) -> %v_ub[%t] pad 1
          : memref<?xf32, #aicore.space<gm>> -> memref<1x32xf32, #aicore.space<ub>>
        %u = aicore.slot %step of %out_ub : memref<8x32xf32, #aicore.space<ub>>
        aicore.vector ins(%x_ub[%s] full, %v_ub[%t] row : memref<8x32xf32, #aicore.space<ub>>, memref<1x32xf32, #aicore.space<ub>>)
            outs(%out_ub[%u] : memref<8x32xf32, #aicore.space<ub>>) size(%rows, %columns) {
        ^bb0(%e: f32, %w: f32):
          %sum = arith.addf %e, %w : f32
          aicore.yield %sum : f32
        }
        aicore.store %out_ub[%u] -> %y[%row, %column] along [0, 1] size(%rows, %columns)
          : memref<8x32xf32, #aicore.space<ub>> -> memref<?x?xf32, #aicore.space<gm>>
      }
    }
  }
}

}

// -----

// A cube core that writes to UB drains the rows of a window, of all vector cores, and these work on it
// then. Windows of 2 x 8 rows. The slot of the accumulator is that of the whole tile.

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16 links {l0c_ub = "fixpipe"}>

module attributes {aicore.machine = #machine} {

// CHECK-LABEL: aicore.kernel @drained
// CHECK:         scf.for %[[TILE:.*]] = %c0 to %M
// CHECK-NEXT:      %[[ACC:.*]] = aicore.slot %[[TILE]] of %acc_l0c
// CHECK-NEXT:      %[[BEFORE:.*]] = arith.muli %[[TILE]], %c2
// CHECK-NEXT:      scf.for %[[DONE:.*]] = %c0 to %M step %c16 {
// CHECK-NEXT:        %[[REST:.*]] = arith.subi %M, %[[DONE]]
// CHECK-NEXT:        %[[ROWS:.*]] = arith.minsi %[[REST]], %c16
// CHECK-NEXT:        %[[IN_TILE:.*]] = arith.divsi %[[DONE]], %c16
// CHECK-NEXT:        %[[STEP:.*]] = arith.addi %[[BEFORE]], %[[IN_TILE]]
// CHECK-NEXT:        %[[S:.*]] = aicore.slot %[[STEP]] of %acc_ub
// CHECK-NEXT:        aicore.drain %acc_l0c[%[[ACC]]] at(%[[DONE]]) size(%[[ROWS]], %N) -> %acc_ub[%[[S]]]
// CHECK-NEXT:        aicore.vector_cores 2 {
// CHECK-NEXT:        ^bb0(%[[V:.*]]: index):
// CHECK-NEXT:          %[[PART:.*]] = arith.ceildivsi %[[ROWS]], %c2
// CHECK-NEXT:          %[[FIRST:.*]] = arith.muli %[[V]], %[[PART]]
// CHECK-NEXT:          %[[LEFT:.*]] = arith.subi %[[ROWS]], %[[FIRST]]
// CHECK-NEXT:          %[[LESS:.*]] = arith.minsi %[[PART]], %[[LEFT]]
// CHECK-NEXT:          %[[ROW:.*]] = arith.addi %[[DONE]], %[[FIRST]]
// CHECK-NEXT:          %[[OWN:.*]] = arith.maxsi %[[LESS]], %c0
// CHECK-NEXT:          aicore.store %acc_ub[%[[S]]] -> %y[%[[ROW]], %c0] along [0, 1] size(%[[OWN]], %N)
aicore.kernel @drained dims ["M", "N"] args [] results [#mmk.named<"y"["M", "N"]>] cores 4 buffers {} {
^bb0(%m: index, %n: index, %y: memref<?x?xf32, #aicore.space<gm>>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  aicore.phase {
  ^bb0(%block: index):
    %acc = aicore.alloc "acc" of "acc" copies 1 : memref<32x32xf32, #aicore.space<l0c>>
    %acc_ub = aicore.alloc "acc" of "ub" copies 1 : memref<8x32xf32, #aicore.space<ub>>
    scf.for %tile = %c0 to %m step %c1 {
      aicore.vector_work %tile size(%m, %n) at(%c0) steps 2 height 8 interleaved {
      ^bb0(%row: index, %rows: index, %column: index, %columns: index, %step: index):
        %a = aicore.slot %tile of %acc : memref<32x32xf32, #aicore.space<l0c>>
        %s = aicore.slot %step of %acc_ub : memref<8x32xf32, #aicore.space<ub>>
        aicore.drain %acc[%a] at(%row) size(%rows, %columns) -> %acc_ub[%s]
          : memref<32x32xf32, #aicore.space<l0c>> -> memref<8x32xf32, #aicore.space<ub>>
        aicore.store %acc_ub[%s] -> %y[%row, %column] along [0, 1] size(%rows, %columns)
          : memref<8x32xf32, #aicore.space<ub>> -> memref<?x?xf32, #aicore.space<gm>>
      }
    }
  }
}
}
