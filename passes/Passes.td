// The way of a kernel, one pass a step; pipeline.cpp lists them in order.
#ifndef MMK_PASSES_TD
#define MMK_PASSES_TD

include "mlir/Pass/PassBase.td"

def ApplyVariant : Pass<"mmk-apply-variant", "::mlir::ModuleOp"> {
  let summary = "leave one alternative of each directive";
  let description = [{
    Takes the first alternative of each `mmk.choice`, or what `variant` asks for; adds the defaults
    of the machine for directives that the schedule does not have; checks every `mmk.require`.
    ```mlir
    mmk.choice "tile.M" = [128, 64]          mmk.choice "tile.M" = [64]
    mmk.choice "order" = ["rows"]       =>   mmk.choice "order" = ["rows"]
                                             mmk.choice "cores" = [20]       // of the machine
    ```
    The module then carries the machine as `aicore.machine`. A tile that is `auto`, or not given,
    becomes the largest that fits the machine, marked `fit` for mmk-tile-cores.
  }];
  let options = [
    Option<"machine", "machine", "std::string", "\"\"", "machine description, by name or file">,
    Option<"variant", "variant", "std::string", "\"\"",
           "choices, e.g. tile.M=64,epilogue=separate">
  ];
  let dependentDialects = ["::mmk::ir::MmkDialect", "::mmk::aicore::AicoreDialect"];
}

def FuseEpilogue : Pass<"mmk-fuse-epilogue", "::mlir::ModuleOp"> {
  let summary = "group the body into nests: a product with its epilogue, or an elementwise part";
  let description = [{
    With `epilogue = fused`, all elementwise operations behind a product become one linalg.generic
    in the product's nest; with `separate` they become a nest of their own, behind it. With
    `bias = table`, a row that is added to a product becomes what the product starts from, a
    linalg.broadcast in place of the zero.
    ```mlir
    %acc = linalg.contract ...               %c = mmk.nest {
    %s = linalg.generic (add bias)             %acc = linalg.contract ...
    %c = linalg.generic (leaky relu)    =>     %y = linalg.generic (add bias, leaky relu)
                                               mmk.yield %y
                                             }
    ```
  }];
  let dependentDialects = ["::mmk::ir::MmkDialect"];
}

def SplitReduction : Pass<"mmk-split-reduction", "::mlir::ModuleOp"> {
  let summary = "split-K: the parts of a reduction in one nest, their sum in the next";
  let description = [{
    With `grid K = s`, a product becomes up to s products over consecutive parts of its reduction,
    each a whole number of stages (or, of less than one, of base tiles), that no core waits for
    another with. Their sum stands where the product was, with the epilogue behind it. A reduction
    that is too short for s parts has fewer; none is empty.
    ```mlir
                                             %parts = mmk.nest {
                                               scf.forall %s = 0 to %count {
                                                 linalg.contract (k from %s * %length on)
    %c = mmk.nest {                          }
      %acc = linalg.contract ...     =>      %c = mmk.nest {
      %y = linalg.generic (epilogue)           %acc = linalg.reduce %parts   // in this order
      mmk.yield %y                             %y = linalg.generic (epilogue)
    }                                          mmk.yield %y
                                             }
    ```
  }];
  let dependentDialects = ["::mmk::ir::MmkDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def TileCores : Pass<"mmk-tile-cores", "::mlir::ModuleOp"> {
  let summary = "tile the output of each nest and deal the tiles to cores";
  let description = [{
    ```mlir
    %c = mmk.nest {                          %c = mmk.nest {
      %acc = linalg.contract ...             ^bb0(%block: index):
      %y = linalg.generic ...          =>      %n = mmk.share %block of ...
      mmk.yield %y                             %r = scf.for %j = 0 to %n iter_args(%out) {
    }                                            %b, %i, %k = mmk.walk %j on %block of ...
                                                 (contract and generic of one tile)
                                                 tensor.insert_slice ... into %out
    ```
    Tiles at the ragged edge are smaller: sizes are minima, computed at run time. So is the tile of
    a choice marked `fit`, whose number is only the largest: as many tiles as keep the cores busy
    without another round over them.

    With `keep`, what is dealt are lines of tiles, rows for A and columns for B, which a grid cuts
    into segments; a loop over them stands around that over the tiles of one.
    ```mlir
    scf.for %p = 0 to %n {                   // {mmk.level = "panel"}
      %b, %i, %s = mmk.walk %p on %block of ... x %rows x %segments
      scf.for %j = 0 to %columns {           // {mmk.level = "tile"}
        (contract and generic of one tile)
    ```
  }];
  let dependentDialects = ["::mmk::ir::MmkDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect"];
}

def TileBase : Pass<"mmk-tile-base", "::mlir::ModuleOp"> {
  let summary = "tile the reduction of each product twice: the stage in L1, the base tile in L0";
  let description = [{
    ```mlir
    linalg.contract (tile.M x tile.N x K)
      =>
    scf.for %ks = 0 to K step stage.K {           // {mmk.level = "stage"}
      scf.for %kb = 0 to min(stage.K, K - %ks) step tile.K {  // {mmk.level = "base"}
        linalg.contract (tile.M x tile.N x tile.K)
    ```
  }];
  let dependentDialects = ["::mmk::ir::MmkDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect"];
}

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

def InsertSync : Pass<"aicore-insert-sync", "::mlir::ModuleOp"> {
  let summary = "flags that order every hazard between pipes";
  let description = [{
    For each buffer that one pipe fills and another uses, two events a slot: filled, and free again.
    Buffers that are filled together and used together share them.
    ```mlir
                                             aicore.wait_flag [mte1 -> mte2] 0 + %s   // free
    aicore.load ... -> %a_l1[%s]             aicore.load ... -> %a_l1[%s]
                                        =>   aicore.set_flag [mte2 -> mte1] 0 + %s    // filled
                                             aicore.wait_flag [mte2 -> mte1] 0 + %s
    aicore.stage %a_l1[%s] ...               aicore.stage %a_l1[%s] ...
                                             aicore.set_flag [mte1 -> mte2] 0 + %s
    ```
    All slots are free when a phase begins, and no flag is left set when it ends. Parts of an
    accumulator have events of their own, which stand where aicore.open and aicore.close stood. Buffers
    that share bytes one after the other are ordered between the last use of the one and the first of
    the other.

    At last the flags are taken out again that others imply, by the proof of aicore-verify-sync: the
    load of a bias needs no "filled" when the next load on its pipe has one that the vector pipe
    waits for anyway. `keep-implied` leaves them, to see what was spared.
  }];
  let options = [
    Option<"keepImplied", "keep-implied", "bool", "false", "leave flags that others imply">
  ];
  let dependentDialects = ["::mmk::aicore::AicoreDialect", "::mlir::arith::ArithDialect"];
}

def VerifySync : Pass<"aicore-verify-sync", "::mlir::ModuleOp"> {
  let summary = "proof that the flags order every hazard, on every path";
  let description = [{
    Program order is the meaning; the pipes of a core run in parallel, ordered by flags alone. For
    any two accesses to the same bytes on different pipes, of which one writes, the first in program
    order must have ended before the second starts, however often the loops run. Changes nothing:
    ```mlir
    aicore.load ... -> %a_l1[%s]               aicore.load ... -> %a_l1[%s]
    aicore.set_flag [mte2 -> mte1] 0 + %s
    aicore.wait_flag [mte2 -> mte1] 0 + %s
    aicore.stage %a_l1[%s] ...                 aicore.stage %a_l1[%s] ...
      is accepted                                is an error: the stage from slot 0 of a in l1 may
                                                 start before the load that fills it has ended:
                                                 nothing makes mte1 wait for mte2 here
    ```
    Also errors: a wait for what nothing sets, a flag left set at the end of a phase, one that is set
    again before it was waited for, an event that the machine has not, a cross-core flag counted
    beyond 15. With `redundant`, flags and barriers that no hazard needs are
    remarked, and barriers of all pipes in whose place a few flags would do; aicore-sync-cost adds
    what they cost.
  }];
  let options = [
    Option<"redundant", "redundant", "bool", "false", "remark flags and barriers that no hazard needs">
  ];
}

#endif
