// The passes that assign the tiles of a kernel to the memories of an AI core, in the order of the
// pipeline (compiler/pipeline.cpp).
#ifndef MMK_PLACE_TD
#define MMK_PLACE_TD

include "mlir/Pass/PassBase.td"

def AssignMemories : Pass<"aicore-assign-memories", "::mlir::ModuleOp"> {
  let summary = "a buffer for each value of a tile";
  let description = [{
    Each fusion group declares its buffers, and an aicore.place assigns a value to a buffer: operand
    slices of a stage to L1, those of a base tile to L0A and L0B, each product to L0C, operands and
    results of the vector cores to UB. On a split chip the vector cores read the products from the
    block's own global memory. Products of a group with equal base tiles share L0A and L0B. A value
    without a buffer is in global memory, or the fixpipe of a split chip writes it there: a product,
    also with ReLU and in a narrower type.
    ```mlir
    mmk.fusion_group {                        mmk.fusion_group {
                                              %a_l1 = aicore.alloc "a" of "l1" ...
    scf.for %t {                              scf.for %t {
      scf.for %ks iter_args(%sum = %zero)       %init = aicore.place %zero in %acc_l0c
        %s = tensor.extract_slice %a            scf.for %ks iter_args(%sum = %init)
        scf.for %kb {                    =>       %s = tensor.extract_slice %a
          %x = tensor.extract_slice %s            %s1 = aicore.place %s in %a_l1
          linalg.contract %x, ...                 scf.for %kb {
                                                    %x = tensor.extract_slice %s1
                                                    %x0 = aicore.place %x in %a_l0a
                                                    linalg.contract %x0, ...
    ```
    A panel that is kept is placed before the loop over its tiles. The initial row of a product is
    placed in L1 and then in the bias table. With `store = overlapped` the accumulator has two
    parts. The buffers in UB have the rows of one step of the vector cores: as many as fit, up to
    the number that gives each transfer its full rate.
  }];
  let dependentDialects = ["::mmk::aicore::AicoreDialect"];
}

def InsertTransfers : Pass<"aicore-insert-transfers", "::mlir::ModuleOp"> {
  let summary = "tensors become memory, and each aicore.place a transfer";
  let description = [{
    mmk.kernel becomes aicore.kernel, each fusion group a phase. Each placed value gets the transfer
    between the two memories: load (GM -> L1, UB), load_l0 (L1 -> L0A, L0B, BT), fixpipe (L0C ->
    GM), spill and fetch (L0C -> the block's global memory -> UB), drain (L0C -> UB) and store (UB
    -> GM). The products of a group follow each other, each in loops of its own. The work of the
    vector unit on a tile is an aicore.vector_work, for any window of the tile. Each buffer has one
    copy, and transfers precede their use directly.
    ```mlir
    %s1 = aicore.place %s in %a_l1    =>   %slot = aicore.slot %number of %a_l1
                                           aicore.load %a[%m, %k] ... -> %a_l1[%slot]
    %y_ub = aicore.place %y in %out   =>   aicore.vector_work %tile size(%rows, %columns) ... {
    tensor.insert_slice %y_ub into %c        aicore.fetch ... ; aicore.vector ... ; aicore.store
                                           }
    ```
    The steps of the first stage of a product with an initial row are separate from the others, so
    that aicore.release can follow them.

    With `store = overlapped` the last stage of a tile is computed part by part, and the first one
    too where the accumulator has one copy, so that one part is stored while the other is computed:
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

def DistributeVectorWork : Pass<"aicore-distribute-vector-work", "::mlir::ModuleOp"> {
  let summary = "vector work to the vector cores, in steps of rows";
  let description = [{
    The rows of a tile are distributed to the vector cores in equal shares, and a vector core
    computes its share in steps of as many rows as its buffers have; a tile of one row is
    distributed by columns. Work that does not depend on the rows, such as the load of a bias,
    precedes the loop over the steps.
    ```mlir
    aicore.vector_work %tile ... {         aicore.vector_cores 2 {
    ^bb0(%row, %rows, ...):                ^bb0(%v):
      load %bias -> %bias_ub                 load %bias -> %bias_ub
      fetch %acc at(%row) ...         =>     scf.for %done = 0 to %share step 32 {
      vector ...                               fetch %acc at(%first + %done) ...
      store ... -> %c[%m + %row]               vector ...
    }                                          store ... -> %c[%m + %first + %done]
    ```
    On a coupled chip the loop is in the program of the one core.
  }];
  let dependentDialects = ["::mmk::aicore::AicoreDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def DoubleBuffer : Pass<"aicore-double-buffer", "::mlir::ModuleOp"> {
  let summary = "copies of the buffers, and the transfer of the next tile under the work on this one";
  let description = [{
    Gives each buffer the copies that the variant requests, and moves its transfers copies - 1
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

def SelectVector : Pass<"aicore-select-vector", "::mlir::ModuleOp"> {
  let summary = "vector instructions for the regions of elements, each with its tiles";
  let description = [{
    The region of each aicore.vector, which computes one element, becomes a list of aicore.vec: one
    for each operation by the table of vector instructions (machines/vector_instructions.h), and
    one for `max(x, 0)` and for `x >= 0 ? x : slope * x`. What follows from scalars alone is
    computed before, by the scalar unit. An operation without an instruction is an error.

    The gelu with tanh becomes `x / (1 + exp(x (a x^2 + b)))`, which is the same function. In a kernel
    with `fast_math` the gelu with erf takes the same form with other numbers, within 2.8e-4.

    An instruction writes to an output of its type, until that has its value, else to a scratch
    tile: a copy of a buffer that all vector work of the phase shares. It may write over an operand
    that it is the last to read. A mask is a tile of bits.
    ```mlir
    aicore.vector ins(%x[%s] full)       aicore.vector ins(%x[%s] full)
        outs(%y[%t]) {                       outs(%y[%t]) {
    ^bb0(%e: f32):                       ^bb0(%x: !aicore.tile<f32>, %y: !aicore.tile<f32>):
      %a = math.absf %e                    aicore.vec abs %x -> %y
      %d = arith.addf %a, %one      =>     aicore.vec add %y, %one -> %y
      %q = arith.divf %e, %d               aicore.vec div %x, %y -> %y
      aicore.yield %q                      aicore.yield
    }                                    }
    ```
  }];
  let dependentDialects = ["::mmk::aicore::AicoreDialect"];
}

def PlanMemory : Pass<"aicore-plan-memory", "::mlir::ModuleOp"> {
  let summary = "byte offsets of all buffers in their memories, with reuse by live range";
  let description = [{
    Buffers with disjoint live ranges share bytes. A range is counted in steps of the phase, the ops
    of its block: a buffer that is accessed in a loop lives for the whole loop.
    ```mlir
    %a = aicore.alloc "a" copies 2        %a = aicore.alloc "a" copies 2 at 0
    %b = aicore.alloc "b" copies 1        %b = aicore.alloc "b" copies 1 at 0
    scf.for ... { load -> %a }       =>
    scf.for ... { load -> %b }
    ```
    Buffers that one vector instruction accesses get different banks of UB where there is room. A
    memory that overflows is an error that lists each of its buffers with its bytes, its copies and
    its source line.
  }];
}

def BankConflicts : Pass<"aicore-bank-conflicts", "::mlir::ModuleOp"> {
  let summary = "remark vector instructions whose operands share banks of UB";
  let description = [{
    UB has banks, several to a group. A vector instruction that reads two operands from one bank
    group, or reads a bank while it writes it, is serialised. Such operands, by the offsets of
    aicore-plan-memory, are remarked; changes nothing.
    ```mlir
    %x = aicore.alloc "x" ... at 0             x (at 0) is read while y (at 16384) is read from the
    %y = aicore.alloc "y" ... at 16384    =>   same bank groups of ub, in 64 of 64 repeats
    aicore.vector ins(%x, %y) outs(%z)
    ```
  }];
}

#endif
