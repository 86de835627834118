// Element types as MLIR types.
#pragma once

#include "support/element.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace mmk {

/// `boolean` is i1.
mlir::Type typeOf(ElementType type, mlir::MLIRContext *context);

/// Nothing for a type that no tensor of the language has, such as i64.
std::optional<ElementType> elementTypeOf(mlir::Type type);

} // namespace mmk
