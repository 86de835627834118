// Properties of a kernel's schedule that several passes read.
#pragma once

#include "ir/aicore.h"
#include "ir/mmk.h"
#include "passes/dimensions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <string>
#include <vector>

namespace mmk {

/// Makes a choice in the kernel's schedule, in place of what that says.
void setChoice(ir::KernelOp kernel, llvm::StringRef key, llvm::StringRef word);

/// Whether all of the body's work is in fusion groups; an error at the first op that is not.
llvm::LogicalResult checkGroups(ir::KernelOp kernel);

/// The value of a dimension by name.
mlir::Value dimValue(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name);

/// Element type of a product's operands.
mlir::Type operandType(mlir::linalg::ContractOp contract);

/// A length rounded down to whole units, at least one.
inline int64_t wholeUnits(int64_t length, int64_t unit) {
  return std::max(unit, length / unit * unit);
}

/// A length halved, in whole units, until it is at most `most`; at least one unit.
inline int64_t halvedTo(int64_t most, int64_t length, int64_t unit) {
  while (length > std::max(most, unit))
    length = wholeUnits(length / 2, unit);
  return length;
}

/// The number that a variant chooses for a directive; `otherwise` where it chooses none.
using Chosen = llvm::function_ref<int64_t(llvm::StringRef key, int64_t otherwise)>;

/// The depth of a base tile of a product: its directive. A dimension that is also an output has a
/// tile of its own there; its base depth is that tile, halved until the operands fit L0. A literal
/// depth has `literal`.
int64_t baseDepth(ir::KernelOp kernel, mlir::linalg::ContractOp contract,
                  aicore::MachineAttr machine, int64_t literal);
/// The same of a variant. `outputs`: the dimensions of products of the kernel.
int64_t baseDepth(llvm::ArrayRef<llvm::StringRef> outputs, mlir::linalg::ContractOp contract,
                  aicore::MachineAttr machine, int64_t literal, Chosen chosen);

/// `keep = A(2048)`: the operand of a product whose panel is kept in L1, and its largest depth.
struct KeptPanel {
  unsigned operand; ///< 0: A, 1: B
  int64_t depth;
};
std::optional<KeptPanel> keptPanel(ir::KernelOp kernel);
/// The same from the directive's word; nothing if it keeps none.
std::optional<KeptPanel> keptPanel(llvm::StringRef word);

/// Whether products read windows from L1, by the hardware's im2col.
bool readsWindowsDirectly(ir::KernelOp kernel, aicore::MachineAttr machine);
/// Of what tiles are multiples along the rows and the columns of products: the steps of the cube,
/// and those of both where a product that reads windows from L1 may be computed transposed.
struct CubeUnits {
  int64_t rows = 1, columns = 1;
};
CubeUnits cubeUnits(ir::KernelOp kernel, aicore::MachineAttr machine);
/// The only value of `order` in which tiles that use the panel follow each other.
llvm::StringRef orderAlong(const KeptPanel &panel);

/// Whether the kernel has a product.
bool hasProduct(ir::KernelOp kernel);

/// The dimensions of tiles and grids: rows and columns of the products, by name or number; of the
/// results if there is no product.
llvm::SmallVector<llvm::StringRef> outputDims(ir::KernelOp kernel);

/// Of each result the names of its dimensions as it is computed: those that are joined are one.
std::vector<llvm::SmallVector<llvm::StringRef>> resultDims(ir::KernelOp kernel);

bool isTiled(llvm::StringRef dim); ///< has a tile of its own: all but those of extent 1

/// Dimensions by name that products have tiles of. One may be an output and a reduction, in
/// different products; a variant's name has it once, as an output.
struct TileDims {
  llvm::SmallVector<llvm::StringRef> outputs, reductions;
  llvm::SmallVector<llvm::StringRef> onlyReductions() const;
};
TileDims dimsOf(ir::KernelOp kernel);

/// An alternative of a choice as written in the schedule: "64", "swizzle(4)".
std::string spelling(mlir::Attribute alternative);

/// The machine that mmk-apply-variant set on a module; without one null, and an error.
aicore::MachineAttr expectMachine(mlir::Operation *module);

} // namespace mmk
