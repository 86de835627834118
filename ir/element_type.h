// Element types as MLIR has them.
#pragma once

#include "support/element.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace mmk {

/// `boolean` is i1.
mlir::Type typeOf(ElementType type, mlir::MLIRContext *context);

/// Nothing for what is no element of a tensor of the language, such as i64.
std::optional<ElementType> elementTypeOf(mlir::Type type);

} // namespace mmk
