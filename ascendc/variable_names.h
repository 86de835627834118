// Names of the C++ variables of a kernel: those of the .mmk file where it has one, else what the
// program does with the value.
#pragma once

#include "ir/aicore.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace mmk::ascendc {

/// Whether a tensor, a dimension or a kernel of this name would have another meaning in C++, or in
/// the files of a project.
bool isReserved(llvm::StringRef name);

/// The attribute that names an argument of the kernel; null for a dimension or another value.
ir::NamedAttr namedOf(aicore::KernelOp kernel, mlir::Value value);

class VariableNames {
public:
  explicit VariableNames(aicore::KernelOp kernel);

  /// The name of a value, which stays the same; no other value has it.
  const std::string &of(mlir::Value value);
  /// A name that no value has: `name`, or where that is empty, another.
  std::string fresh(const std::string &name, const char *otherwise);
  /// Whether what the program does with it gives it a name: where a tile starts, how many elements
  /// it has, a slot.
  bool hasMeaning(mlir::Value value) const { return meanings_.contains(value); }
  /// The name of a dimension of a tensor of the kernel; empty where it is a number.
  static llvm::StringRef dimensionOf(aicore::KernelOp kernel, mlir::Value tensor, int64_t dim);

private:
  template <typename Op> void collect(Op transfer, mlir::Value tensor);
  std::string nameOfLoop(mlir::scf::ForOp loop);
  void mean(mlir::Value value, std::string name);
  std::string unique(std::string name);

  aicore::KernelOp kernel_;
  llvm::DenseMap<mlir::Value, std::string> meanings_, names_;
  llvm::StringSet<> taken_;
};

} // namespace mmk::ascendc
