// The aicore dialect: the program of an AI core. See Aicore.td, from which its reference is
// generated.
#pragma once

#include "ir/limit.h"
#include "ir/mmk.h"
#include "machines/machine.h"
#include "machines/vector_instructions.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

#include "ir/AicoreEnums.h.inc"

namespace mmk::aicore {

/// One access of an instruction: an on-chip buffer and its slot, or a tensor in global memory (then
/// the slot is null).
struct Access {
  mlir::Value buffer, slot;
  bool writes = false;
  /// A read-modify-write: an accumulator.
  bool reads = false;
  /// Of an accumulator in parts; empty: all of them.
  std::optional<int64_t> part = std::nullopt;
};

/// A tile of a tensor in global memory: offsets in all its dimensions, the dimensions of its rows
/// and columns (-1: none), and their numbers (null: one).
struct GlobalTile {
  mlir::Value tensor;
  mlir::MutableOperandRange offsets;
  int64_t along[2] = {-1, -1};
  mlir::OpOperand *rows = nullptr, *columns = nullptr;
  bool writes = false;
  /// Of a tile of more than rows and columns: further dimensions, and their extents.
  llvm::SmallVector<std::pair<int64_t, mlir::OpOperand *>> outer = {};
};

/// The place of a tile of a vector instruction.
struct VectorTile {
  mlir::Value buffer; ///< null: in registers
  mlir::Value slot;   ///< null: see `copy`
  int64_t copy = 0;   ///< of a scratch tile
  enum class Role { input, output, scratch, registers } role = Role::input;
  Broadcast broadcast = Broadcast::full;
};

/// The verifier of every instruction: a slot belongs to the buffer that it is used with.
llvm::LogicalResult verifySlots(mlir::Operation *instruction);

/// The same pipe in the enumeration of machine descriptions.
constexpr mmk::Pipe machinePipe(Pipe pipe) {
  switch (pipe) {
  case Pipe::scalar:
    return mmk::Pipe::scalar;
  case Pipe::mte1:
    return mmk::Pipe::mte1;
  case Pipe::mte2:
    return mmk::Pipe::mte2;
  case Pipe::mte3:
    return mmk::Pipe::mte3;
  case Pipe::cube:
    return mmk::Pipe::cube;
  case Pipe::fixpipe:
    return mmk::Pipe::fixpipe;
  case Pipe::vector:
    return mmk::Pipe::vector;
  }
  return mmk::Pipe::scalar;
}

} // namespace mmk::aicore

#include "ir/AicoreDialect.h.inc"

#include "ir/AicoreInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/AicoreAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/AicoreTypes.h.inc"

#define GET_OP_CLASSES
#include "ir/AicoreOps.h.inc"

namespace mmk::aicore {

/// Memory space of a buffer or tensor; gm when the type carries none.
Space spaceOf(mlir::Value buffer);
Space spaceOf(mlir::Type memref);
/// The machine that a module is compiled for; null before mmk-apply-variant.
MachineAttr machineOf(mlir::Operation *op);
/// The core of its block on which an instruction runs: inside aicore.vector_cores the vector core.
Unit unitOf(mlir::Operation *op);
/// Bytes of one element of a memref.
int64_t elementBytes(mlir::Type memref);

} // namespace mmk::aicore
