// The interface of analyses to aicore instructions: the pipe, and the buffers that an instruction
// accesses.
#ifndef MMK_IR_AICOREINTERFACES_TD
#define MMK_IR_AICOREINTERFACES_TD

include "mlir/IR/OpBase.td"

def Aicore_Instruction : OpInterface<"Instruction"> {
  let cppNamespace = "::mmk::aicore";
  let description = [{
    An instruction that one of a core's in-order pipes executes. Flags order pipes, so everything
    that synchronisation needs to know is here: the pipe, and each access to a memory. A slot is one
    of its buffer: an `aicore.slot` of another does not count round with it.
  }];
  let methods = [
    InterfaceMethod<"The pipe that executes it.", "::mmk::aicore::Pipe", "getPipe">,
    InterfaceMethod<"Every buffer or global tensor that it reads or writes.",
      "::llvm::SmallVector<::mmk::aicore::Access>", "getAccesses">,
  ];
  let verify = "return ::mmk::aicore::verifySlots($_op);";
}

def Aicore_CallConstant : OpInterface<"CallConstant"> {
  let cppNamespace = "::mmk::aicore";
  let description = [{
    A number that is known when the kernel is called, and the same for all of its blocks.
  }];
  let methods = [InterfaceMethod<"The largest that it may be.", "int64_t", "getLargest">];
}

def Aicore_TileInstruction : OpInterface<"TileInstruction"> {
  let cppNamespace = "::mmk::aicore";
  let description = [{
    An instruction that works on tiles of tensors in global memory, and on nothing else that another
    instruction touches.
  }];
  let methods = [
    InterfaceMethod<"Every tile that it reads or writes.",
      "::llvm::SmallVector<::mmk::aicore::GlobalTile>", "getTiles">,
  ];
}

#endif
