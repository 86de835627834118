// The passes that insert flags and prove them, in the order of the pipeline
// (compiler/pipeline.cpp).
#ifndef MMK_SYNC_TD
#define MMK_SYNC_TD

include "mlir/Pass/PassBase.td"

def InsertSync : Pass<"aicore-insert-sync", "::mlir::ModuleOp"> {
  let summary = "flags that order every hazard between pipes";
  let description = [{
    A buffer that one pipe fills and another uses gets two events for each slot: filled, and free
    again. Buffers that are filled together and used together share events. Where several pipes fill a
    buffer one after the other, any two pipes of which one writes are ordered so. A buffer whose
    aicore.slot is outside of a loop is carried by the loop: it is filled before, and free behind it.
    ```mlir
                                             aicore.wait_flag [mte1 -> mte2] 0 + %s   // free
    aicore.load ... -> %a_l1[%s]             aicore.load ... -> %a_l1[%s]
                                        =>   aicore.set_flag [mte2 -> mte1] 0 + %s    // filled
                                             aicore.wait_flag [mte2 -> mte1] 0 + %s
    aicore.load_l0 %a_l1[%s] ...             aicore.load_l0 %a_l1[%s] ...
                                             aicore.set_flag [mte1 -> mte2] 0 + %s
    ```
    All slots are free when a phase begins, and no flag is left set when it ends. Parts of an
    accumulator have events of their own, in place of aicore.producer_acquire and
    aicore.producer_commit. Buffers that share bytes are ordered between the last use of one and the
    first use of the next.

    Finally, flags that others imply are removed, by the analysis of aicore-verify-sync: the load of a
    bias needs no "filled" when the vector pipe waits for the flag of the next load on the same pipe.
    `keep-implied` keeps them, for comparison.
  }];
  let options = [
    Option<"keepImplied", "keep-implied", "bool", "false", "leave flags that others imply">
  ];
  let dependentDialects = ["::mmk::aicore::AicoreDialect", "::mlir::arith::ArithDialect"];
}

def JoinFunctions : Pass<"aicore-join-functions", "::mlir::ModuleOp"> {
  let summary = "flags out of the functions of a vector unit with registers";
  let description = [{
    Loops of vector work without a flag between them are one function, which is started once. Where only
    flags of the vector pipe for buffers of several copies stand between two, these are waited for before
    the first loop, and set behind the last. Flags of single copies and between the cores stay.
    ```mlir
    aicore.reduce max %x_ub[%s] ...           aicore.wait_flag [mte3 -> vector] 0 + %t
    aicore.set_flag [vector -> mte2] 0 + %s   aicore.reduce max %x_ub[%s] ...
    aicore.wait_flag [mte3 -> vector] 0 + %t  =>   aicore.vector ... outs(%y_ub[%t]) ...
    aicore.vector ... outs(%y_ub[%t]) ...     aicore.set_flag [vector -> mte2] 0 + %s
    ```
  }];
}

def VerifySync : Pass<"aicore-verify-sync", "::mlir::ModuleOp"> {
  let summary = "proof that the flags order every hazard, on every path";
  let description = [{
    Program order defines the meaning; the pipes of a core run in parallel, ordered by flags only. Of
    any two accesses to the same bytes on different pipes, at least one a write, the first in program
    order must end before the second starts, for any trip counts of the loops. Changes nothing:
    ```mlir
    aicore.load ... -> %a_l1[%s]               aicore.load ... -> %a_l1[%s]
    aicore.set_flag [mte2 -> mte1] 0 + %s
    aicore.wait_flag [mte2 -> mte1] 0 + %s
    aicore.load_l0 %a_l1[%s] ...                 aicore.load_l0 %a_l1[%s] ...
      is accepted                                is an error: the load_l0 from slot 0 of a in l1 may
                                                 start before the load that fills it has ended:
                                                 nothing makes mte1 wait for mte2 here
    ```
    Also errors: a wait without a set, a flag left set at the end of a phase, a flag that is set again
    before a wait, an event that the machine does not have, a cross-core flag counted beyond 15. A set
    has to come before its wait in program order, so that no core deadlocks, also not on a machine where
    a wait for the other kind of core holds the whole core (`cross_wait`). Such a wait counts as an order
    of its pipe alone. With
    `redundant`, remarks flags and barriers that no hazard needs, and barriers of all pipes that a few
    flags could replace; aicore-sync-cost adds their cost.
  }];
  let options = [
    Option<"redundant", "redundant", "bool", "false", "remark flags and barriers that no hazard needs">
  ];
}

#endif
