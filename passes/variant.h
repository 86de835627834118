// Facts about a kernel's schedule that several passes ask for.
#pragma once

#include "ir/aicore.h"
#include "ir/mmk.h"
#include "passes/dimensions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <string>

namespace mmk {

/// Whether all of the body's work stands in fusion groups; an error at the first op that does not.
llvm::LogicalResult checkGroups(ir::KernelOp kernel);

/// The value of a dimension by name.
mlir::Value dimValue(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name);

/// Element type of a product's operands.
mlir::Type operandType(mlir::linalg::ContractOp contract);

/// As much of a length as is whole units, at least one.
inline int64_t wholeUnits(int64_t length, int64_t unit) {
  return std::max(unit, length / unit * unit);
}

/// `keep = A(2048)`: which operand of a product has its panel stay in L1, and up to which depth.
struct KeptPanel {
  unsigned operand; ///< 0: A, 1: B
  int64_t depth;
};
std::optional<KeptPanel> keptPanel(ir::KernelOp kernel);
/// The same of the directive's word; nothing where that is none.
std::optional<KeptPanel> keptPanel(llvm::StringRef word);
/// The only value of `order` in which tiles that use the panel follow each other.
llvm::StringRef orderAlong(const KeptPanel &panel);

/// Whether any part of the kernel is a product.
bool hasProduct(ir::KernelOp kernel);

/// What tiles and grids are mapped by: rows and columns of the products, by name or number; of the
/// results where there is none.
llvm::SmallVector<llvm::StringRef> outputDims(ir::KernelOp kernel);

bool isName(llvm::StringRef dim); ///< and no number

/// Dimensions by name that products have tiles of. One may be both, in different products; a
/// variant's name has it once, as an output.
struct TileDims {
  llvm::SmallVector<llvm::StringRef> outputs, reductions;
  llvm::SmallVector<llvm::StringRef> onlyReductions() const;
};
TileDims dimsOf(ir::KernelOp kernel);

/// An alternative of a choice as the schedule has it: "64", "swizzle(4)".
std::string spelling(mlir::Attribute alternative);

/// The machine that a module was given by mmk-apply-variant; null, and an error said, without one.
aicore::MachineAttr expectMachine(mlir::Operation *module);

} // namespace mmk
