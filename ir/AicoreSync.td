// Flags and barriers.
#ifndef MMK_IR_AICORESYNC_TD
#define MMK_IR_AICORESYNC_TD

include "AicoreTypes.td"

class Aicore_SyncOp<string mnemonic> : Aicore_Op<mnemonic,
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]>;

class Aicore_FlagOp<string mnemonic> : Aicore_SyncOp<mnemonic> {
  let arguments = (ins Aicore_Pipe:$from, Aicore_Pipe:$to, I64Attr:$event, Index:$slot);
  let assemblyFormat = "` ` `[` $from `->` $to `]` $event `+` $slot attr-dict";
  let hasVerifier = 1;
}
def Aicore_SetFlagOp : Aicore_FlagOp<"set_flag"> {
  let summary = "sets an event when all earlier work of the pipe `from` is done";
  let description = [{
    `aicore.set_flag [mte2 -> mte1] 0 + %slot`: event id = 0 + slot, on the core (cube or vector)
    in whose part of the program it stands.
  }];
}
def Aicore_WaitFlagOp : Aicore_FlagOp<"wait_flag"> {
  let summary = "holds the pipe `to` until the event is set, and clears it";
  let description = "`aicore.wait_flag [mte2 -> mte1] 0 + %slot`";
}

class Aicore_CrossOp<string mnemonic> : Aicore_SyncOp<mnemonic> {
  let arguments = (ins Aicore_Unit:$unit, Aicore_Pipe:$pipe, I64Attr:$flag, Index:$slot);
  let hasVerifier = 1;
}
def Aicore_SetCrossOp : Aicore_CrossOp<"set_cross"> {
  let summary = "counts up a cross-core flag when all earlier work of the pipe is done";
  let description = [{
    `aicore.set_cross fixpipe to vector 0 + %w`: from the cube core to both its vector cores;
    `aicore.set_cross mte2 to cube 2 + %w`: seen by the cube core when both vector cores have set.
  }];
  let assemblyFormat = "$pipe `to` $unit $flag `+` $slot attr-dict";
}
def Aicore_WaitCrossOp : Aicore_CrossOp<"wait_cross"> {
  let summary = "holds the pipe until the other core's flag is up, and counts it down";
  let description = [{
    `aicore.wait_cross mte2 from cube 0 + %w`. On a machine whose `cross_wait` is `core`, it holds all that its
    core has not issued.
  }];
  let assemblyFormat = "$pipe `from` $unit $flag `+` $slot attr-dict";
}

def Aicore_BarrierOp : Aicore_SyncOp<"barrier"> {
  let summary = "later work of the pipe, or of all pipes, starts when all earlier work of it is done";
  let description = [{
    `aicore.barrier cube`: of one pipe. `aicore.barrier all`: no pipe of the core, cube or vector, in
    whose part of the program it stands goes on before all of them are done.
  }];
  let arguments = (ins OptionalAttr<Aicore_Pipe>:$pipe);
  let assemblyFormat = "($pipe^) : (`all`)? attr-dict";
}

#endif
