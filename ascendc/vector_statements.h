// The work of the vector cores as calls of Ascend C.
#pragma once

#include "ascendc/instructions.h"

#include <functional>

namespace mmk::ascendc {

/// The LocalTensor of a copy of a buffer.
using NameTile = std::function<std::string(const aicore::VectorTile &)>;

/// How the elements of a reduction are combined, and what changes none.
struct Combination {
  const char *instruction;
  const char *reduceType; ///< of the lanes of a register; null: none
  std::string identity;
};
Combination combinationOf(aicore::ReduceKind kind, mlir::Type element);

Statement vectorStatement(aicore::VectorOp op, Expressions &expressions, const NameTile &nameTile);
Statement reduceStatement(aicore::ReduceOp op, Expressions &expressions, const NameTile &nameTile);
Statement positionsStatement(aicore::PositionsOp op, Expressions &expressions,
                             const NameTile &nameTile);
Statement scanStatement(aicore::ScanOp op, Expressions &expressions, const NameTile &nameTile);
Statement randomStatement(aicore::RandomOp op, Expressions &expressions, const NameTile &nameTile);

} // namespace mmk::ascendc
