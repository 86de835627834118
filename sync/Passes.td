// The passes that insert flags and prove them, in the order of the pipeline
// (compiler/pipeline.cpp).
#ifndef MMK_SYNC_TD
#define MMK_SYNC_TD

include "mlir/Pass/PassBase.td"

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
