// The rows between the products of a chain, of a group of rows: as many as a vector has lanes.
// Elements are computed with the columns of a row in the lanes, and what a row has once, such as
// its maximum so far, with the rows of the group in the lanes.
#pragma once

#include "codegen/micro_kernel.h"
#include "cpu/row_code.h"
#include "cpu/row_guard.h"

namespace mmk {

/// The left operand of products behind the rows, as those read it.
struct ChainWeights {
  mlir::Value value;    ///< as the region yields it
  mlir::Value excludes; ///< the condition without which a weight is none; null: all count
  mlir::Value element;  ///< the weight where that holds, before it is rounded to its type
  Multiply multiply;

  int64_t bytes() const { return isBf16(multiply) ? 2 : 4; }
};

/// What the code of a chain's rows depends on.
struct ChainFacts {
  /// `seconds`: how each product of weights is computed.
  ChainFacts(cpu::ChainOp op, llvm::ArrayRef<Multiply> seconds);

  mutable cpu::ChainOp op; ///< its accessors are not const
  const RowFacts rows;
  llvm::SmallVector<ChainWeights> weights; ///< each once
  llvm::SmallVector<unsigned> weightsOf;   ///< for each product of weights, which of these
  std::optional<RowGuard> guard;
  /// Whether parts for which the guard holds nowhere need not be computed.
  bool skips = false;

  mlir::Block &region() const { return op.getBody().front(); }
  bool isOfGuard(const ChainWeights &of) const {
    return guard && of.excludes == guard->condition();
  }
  /// What rows hold from part to part: the result of each reduction, its position, and what values
  /// were before. Eight bytes for each.
  int64_t stateCount() const;

private:
  void findWeights(llvm::ArrayRef<Multiply> seconds);
  void findConditions();
};

/// Bytes of the scores of a group by one product, and of weights in their place.
constexpr int64_t scoreBytes(int64_t lanes) { return lanes * CpuTuning::chainScoreRowBytes; }

class ChainRows : public RowCode {
public:
  /// `isFull`: the guard holds for all elements.
  ChainRows(Emitter &e, const ChainFacts &facts, const SpacePlaces &places, RowAccess form,
            bool isFull)
      : RowCode(e, facts.rows, facts.region(), places, form), c(facts),
        scoreCount(c.op.getDepths().size()), isFull(isFull) {}

  /// A group: its first row in the tile, the rows of the tile, and what the group has.
  struct Group {
    llvm::Value *row = nullptr, *rows = nullptr;
    llvm::Value *states = nullptr;
    struct Sums {
      llvm::Value *pointer = nullptr, *rowBytes = nullptr;
      llvm::Value *bytes = nullptr; ///< of these, those that there are
    };
    llvm::SmallVector<Sums, 2> sums; ///< of each product of weights
  };
  /// The states of no part.
  void start(const Group &group);
  /// A part of `count` columns from `first` on: weights in place of scores, sums of products
  /// rescaled. In `partials` are vectors of the rows.
  void addPart(const Group &group, llvm::Value *scores, llvm::Value *partials, llvm::Value *first,
               llvm::Value *count);
  /// After the last part: multiplies the sums by the factor, and stores the results of the rows.
  void finish(const Group &group);
  RowGuard::Bounds bounds(const Group &group, llvm::Value *count);

  /// Bytes of the partials.
  static int64_t partialBytes(const ChainFacts &facts, const Emitter &e);

private:
  void addRows(const Group &group);
  Known termsOfGuard();
  /// Those of the columns below `end` for which the guard holds in each row.
  void findRanges(llvm::Value *end);
  /// Adds whether the guard holds from `column` on in a row of the group, as far as that is known.
  void addGuard(llvm::Value *row, llvm::Value *column, Known &known);
  void computeRows(llvm::ArrayRef<mlir::Value> wanted) { compute(wanted, ofRows); }
  llvm::Value *rowOf(mlir::Value value) { return valueOf(value, ofRows); }
  llvm::Value *statePlace(const Group &group, int64_t number);
  llvm::Value *loadState(const Group &group, int64_t number, llvm::Type *element);
  void storeState(const Group &group, int64_t number, llvm::Value *value);
  int64_t stateOfReduction(cpu::ReduceOp reduction, bool position);
  int64_t stateOfBefore(cpu::BeforeOp before);
  void loadResults(const Group &group);
  void emitPass(unsigned level, const Group &group, llvm::Value *scores, llvm::Value *partials,
                llvm::Value *first, llvm::Value *count);
  States step(unsigned level, const Pointers &pointers, llvm::Value *scoresOfRow,
              llvm::Value *first, const LaneStep &vector, const Known &known,
              llvm::ArrayRef<Parts> states);
  void storeWeights(const ChainWeights &weights, llvm::Value *to, llvm::Value *count,
                    const Known &known);
  llvm::SmallVector<mlir::Value> wantedIn(unsigned level) const;
  /// What takes long to compute of the scores, and is needed by later passes in place of the first
  /// one: a tanh. Null where these need a score too, or more than that.
  mlir::Value waitingScore();
  /// What is equal for a row and read for its elements.
  llvm::SmallVector<mlir::Value> keptFor(llvm::ArrayRef<mlir::Value> wanted);
  void combine(unsigned level, const Group &group, llvm::Value *partials);
  Parts ofRowsFrom(Accumulator &accumulator, llvm::Value *partials, int64_t number);
  Parts joined(Accumulator &accumulator, const Parts &x, const Parts &y);
  void rescale(const Group &group);
  /// Rows of sums by these factors. `keepsZeros`: whatever the factor is.
  void multiplySums(const Group::Sums &sums, llvm::Value *rows, mlir::Value factor,
                    bool keepsZeros);
  unsigned lastLevel() const { return facts.passes.size() - 1; }

  const ChainFacts &c;
  const unsigned scoreCount; ///< the first arguments of the region
  const bool isFull;
  Known ofRows; ///< with the rows in the lanes
  struct {
    llvm::Value *first = nullptr, *count = nullptr;
  } ranges; ///< arrays with an i32 of each row; null: the guard is computed for each element
};

} // namespace mmk
