// Integer arithmetic as operations on index values.
#pragma once

#include "schedule/rule.h"

#include "mlir/IR/Builders.h"

#include <string>

namespace mmk {

/// The value of a rule: an index, or an i1 of a condition. `read` gives the value of a name.
mlir::Value emitRule(mlir::OpBuilder &b, mlir::Location loc, const Rule &rule,
                     llvm::function_ref<mlir::Value(const std::string &name)> read);

} // namespace mmk
