// The passes that give the tiles of a kernel to the memories of an AI core, in the order of the
// pipeline (compiler/pipeline.cpp).
#ifndef MMK_PLACE_TD
#define MMK_PLACE_TD

include "mlir/Pass/PassBase.td"

def Place : Pass<"aicore-place", "::mlir::ModuleOp"> {
  let summary = "give tiles to memories; transfers appear";
  let description = [{
    mmk.kernel becomes aicore.kernel, each nest a phase: operand slices at the stage level are
    loaded into L1, at the base level staged into L0A and L0B, the accumulator stands in L0C. On a
    split chip a plain result leaves through the fixpipe, and a tile with an epilogue is spilled to
    the block's global memory, whose vector cores fetch it by rows; on a coupled chip it is drained
    into UB. One copy of each buffer, transfers right before their use.

    A panel that is kept comes to L1 as a whole, before the loop over its tiles. A row that a product
    starts from goes through L1 into the bias table, once for each tile; the steps of the first stage
    are told apart from the others, so that aicore.release can stand behind them.

    With `store = overlapped` the accumulator has two parts, each half of its columns. The last
    stage of a tile goes part by part, and the first one too where the accumulator has one copy, so
    that a part leaves L0C under the product of the other:
    ```mlir
    scf.for %ks {                       scf.for %ks {
      load A, load B                      load A, load B
      for all base tiles: mmad     =>     if (first or last)
    }                                       for all base tiles: mmad part 0
    fixpipe                                 for all base tiles: mmad part 1
                                          else for all base tiles: mmad
                                        }
                                        fixpipe part 0, fixpipe part 1
    ```
  }];
  let dependentDialects = ["::mmk::aicore::AicoreDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def DoubleBuffer : Pass<"aicore-double-buffer", "::mlir::ModuleOp"> {
  let summary = "copies of the buffers, and the transfer of the next tile under the work on this one";
  let description = [{
    Gives each buffer the copies that the variant asks for, and moves its transfers copies - 1
    iterations ahead:
    ```mlir
    for %i {                                 load %i = 0
      load %i                                for %i {
      work %i                           =>     if (%i + 1 < n) load %i + 1
    }                                          work %i
                                             }
    ```
  }];
  let dependentDialects = ["::mmk::aicore::AicoreDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def PlanMemory : Pass<"aicore-plan-memory", "::mlir::ModuleOp"> {
  let summary = "byte offsets of all buffers in their memories, with reuse by live range";
  let description = [{
    Buffers whose live ranges do not meet share bytes. A range is counted in steps of the phase, the
    ops of its block: what is touched in a loop lives for all of that loop.
    ```mlir
    %a = aicore.alloc "a" copies 2        %a = aicore.alloc "a" copies 2 at 0
    %b = aicore.alloc "b" copies 1        %b = aicore.alloc "b" copies 1 at 0
    scf.for ... { load -> %a }       =>
    scf.for ... { load -> %b }
    ```
    Buffers that a vector instruction touches at once go to other banks of UB where there is room.
    What does not fit is an error that lists every buffer of the memory with its bytes, its copies
    and the line that it is for.
  }];
}

def BankConflicts : Pass<"aicore-bank-conflicts", "::mlir::ModuleOp"> {
  let summary = "remark vector instructions whose operands share banks of UB";
  let description = [{
    UB stands in banks, some to a group. A vector instruction reads two operands at once from one
    bank group, or reads one bank while it writes it, only one after the other. Where operands stand
    so, by the offsets of aicore-plan-memory, it is remarked; changes nothing.
    ```mlir
    %x = aicore.alloc "x" ... at 0             x (at 0) is read while y (at 16384) is read from the
    %y = aicore.alloc "y" ... at 16384    =>   same bank groups of ub, in 64 of 64 repeats
    aicore.vector ins(%x, %y) outs(%z)
    ```
  }];
}

#endif
