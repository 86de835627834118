// The columns, or the rows of kept columns, for which the condition of reductions holds: others are
// neither read nor computed.
#pragma once

#include "codegen/emitter.h"
#include "cpu/row_facts.h"

#include <optional>

namespace mmk {

/// The condition that reductions of a cpu.rows, or reductions and weights of a cpu.chain, have in
/// common, as far as it is linear in the index of the innermost loop over what is reduced: of the
/// columns, or of the rows of kept columns.
class RowGuard {
public:
  /// That of the first reduction, or else the first of `others`, which has one that is linear in
  /// part; nothing where none has.
  static std::optional<RowGuard> of(const RowFacts &facts, mlir::Block &region,
                                    llvm::ArrayRef<mlir::Value> others = {});

  mlir::Value condition() const { return condition_; }
  bool guards(cpu::ReduceOp reduction) const;
  /// Whether every reduction of a pass is guarded, and nothing else is done in it.
  bool guardsAll(const RowFacts::Pass &pass) const;
  /// Whether it holds for all indices of the range; else for some of them.
  bool isExact() const { return isExact_; }
  /// What the range is computed from: equal for all of its indices, and for all columns. Positions
  /// along outer dimensions that are reduced are among them.
  llvm::ArrayRef<mlir::Value> terms() const { return terms_; }

  struct Range {
    llvm::Value *first = nullptr, *end = nullptr;
  };
  /// It holds for none of the other indices below `count`. `known`: the terms, each in all lanes.
  Range range(Emitter &e, const RowFacts::Known &known, llvm::Value *count) const {
    return range(e, known, count, {}, /*ofAll=*/false);
  }
  /// The same of the kept columns from `strip.first` to `strip.end`: for none of these; with
  /// `ofAll` the indices for which an exact one holds for all of them.
  Range range(Emitter &e, const RowFacts::Known &known, llvm::Value *count, Range strip,
              bool ofAll) const;

  /// For rows in lanes: the indices for which it may hold for some of them, and those for which it
  /// holds for all.
  struct Bounds {
    Range some, all;
  };
  Bounds boundsOfRows(Emitter &e, const RowFacts::Known &known, llvm::Value *count) const;
  /// The indices of each row, i64 in its lane, outside of which it does not hold; inside an exact
  /// one does.
  Range rangeOfRows(Emitter &e, const RowFacts::Known &known, llvm::Value *count) const;

private:
  /// The indices where it holds, of the type of `count`, the end of all: a number, or a vector of
  /// rows, which have no columns of a strip. None where the end precedes the first.
  Range limits(Emitter &e, const RowFacts::Known &known, llvm::Value *count, Range strip,
               bool ofAll) const;
  /// index * (1, 0 or -1) + kept * column + constant + terms, which is at least 0 where the
  /// condition holds.
  struct Form {
    int64_t index = 0, kept = 0, constant = 0;
    llvm::SmallVector<std::pair<mlir::Value, int64_t>> terms; ///< with their factors
  };
  class Reader;

  mlir::Value condition_;
  bool isExact_ = false;
  llvm::SmallVector<Form> forms;
  llvm::SmallVector<mlir::Value> terms_;
};

} // namespace mmk
