// The indices of an access as an affine map.
#pragma once

#include "schedule/rule.h"

#include "mlir/IR/AffineExpr.h"

#include <string>

namespace mmk {

/// The expression of a rule without comparisons. `read` gives that of a name: a position or an
/// extent.
mlir::AffineExpr affineOf(const Rule &rule, mlir::MLIRContext *context,
                          llvm::function_ref<mlir::AffineExpr(const std::string &name)> read);

} // namespace mmk
