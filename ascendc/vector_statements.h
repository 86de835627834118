// The work of the vector cores as calls of Ascend C.
#pragma once

#include "ascendc/instructions.h"

#include <functional>

namespace mmk::ascendc {

/// The LocalTensor of a copy of a buffer.
using NameTile = std::function<std::string(const aicore::VectorTile &)>;

Statement vectorStatement(aicore::VectorOp op, Expressions &expressions, const NameTile &nameTile);
Statement reduceStatement(aicore::ReduceOp op, Expressions &expressions, const NameTile &nameTile);
Statement positionsStatement(aicore::PositionsOp op, Expressions &expressions,
                             const NameTile &nameTile);
Statement scanStatement(aicore::ScanOp op, Expressions &expressions, const NameTile &nameTile);
Statement randomStatement(aicore::RandomOp op, Expressions &expressions, const NameTile &nameTile);

} // namespace mmk::ascendc
