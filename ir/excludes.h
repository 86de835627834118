// How a selection says that it stands for the condition of a sum.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace mmk::ir {

/// On an arith.select of an operand of a product, or 0: a sum excludes the elements for which the
/// condition does not hold, together with those that they are multiplied with. A selection of the
/// kernel's body without it multiplies these by 0.
inline constexpr llvm::StringLiteral excludesAttr = "mmk.excludes";

} // namespace mmk::ir
