// The columns for which the condition of a row's reductions holds: others are neither read nor
// computed.
#pragma once

#include "codegen/emitter.h"
#include "cpu/row_facts.h"

#include <optional>

namespace mmk {

/// The condition that reductions of a cpu.rows have in common, as far as it is linear in the
/// column.
class RowGuard {
public:
  /// Nothing where no reduction has a condition, or no part of it is linear.
  static std::optional<RowGuard> of(const RowFacts &facts, mlir::Block &region);

  mlir::Value condition() const { return condition_; }
  bool guards(cpu::ReduceOp reduction) const;
  /// Whether it holds for all columns from `first` to `end`; else for some of them.
  bool isExact() const { return isExact_; }
  /// What the columns are computed from, which is equal for all of them.
  llvm::ArrayRef<mlir::Value> terms() const { return terms_; }

  struct Columns {
    llvm::Value *first, *end;
  };
  /// It holds for none of the other columns. `known`: the terms, each in all lanes.
  Columns columns(Emitter &e, const RowFacts::Known &known, llvm::Value *count) const;

private:
  /// column * (1, 0 or -1) + constant + terms, which is at least 0 where the condition holds.
  struct Form {
    int64_t column = 0, constant = 0;
    llvm::SmallVector<std::pair<mlir::Value, int64_t>> terms; ///< with their factors
  };
  class Reader;

  mlir::Value condition_;
  bool isExact_ = false;
  llvm::SmallVector<Form> forms;
  llvm::SmallVector<mlir::Value> terms_;
};

} // namespace mmk
