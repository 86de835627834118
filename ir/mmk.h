// The mmk dialect: the function of a kernel, and its schedule. See Mmk.td, from which its reference
// is generated.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/MmkEnums.h.inc"

#include "ir/MmkDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/MmkAttrs.h.inc"

namespace mmk::ir {
class ChoiceOp;

/// Whether a window with this map, of the position to the indices of its source, has as its last
/// two dimensions one of the source and then the last one, and no other index reads them: each of
/// its matrices is one of the source.
bool givesMatrices(mlir::AffineMap map);
} // namespace mmk::ir

#define GET_OP_CLASSES
#include "ir/MmkOps.h.inc"

namespace mmk::ir {

/// Whether it gives a generated tensor: one whose elements are computed, or loaded from elsewhere,
/// where they are read.
bool isGenerated(mlir::Operation *op);

/// The name of a dimension of the generated tensor that `op` gives.
llvm::StringRef dimensionOfGenerated(mlir::Operation *op, unsigned dim);

} // namespace mmk::ir
