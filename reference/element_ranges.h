// The range of right results for single elements of a result: the kernel's body evaluated for one
// element, with the rounding errors of its sums carried through what follows.
#pragma once

#include "reference/index_program.h"
#include "reference/reference.h"
#include "reference/sum_range.h"
#include "reference/view.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace mmk {

/// What a kernel is evaluated with; see evaluateReference. All outlive what reads them.
struct Operands {
  const Kernel &kernel;
  const std::map<std::string, int64_t> &dims;
  const std::vector<double> &scalars;
  const std::vector<const Tensor *> &tensors;
};

/// Keeps what it has computed for later elements, so that a thread has its own.
class ElementRanges {
public:
  ElementRanges(const Operands &operands, const Evaluated &evaluated);

  /// Of the element `index`, in memory order, before it is stored in the type of the result.
  Range of(const Result &result, int64_t index, Care care);

  /// Numbers that are read for one element of a result, when nothing is known from others.
  double cost(const Result &result) { return planOf(*result.value).cost; }
  /// Whether Care::quick saves work.
  bool hasDeepSum(const Result &result) { return planOf(*result.value).deepest > shallowSum; }

private:
  /// An element of a value.
  struct Place {
    std::array<int64_t, 8> at{};
    size_t rank = 0;
  };
  /// One value of an elementwise tree.
  struct Step {
    const Value *value;
    std::vector<size_t> operands; ///< indices of steps; of an elementwise operation
    std::vector<int64_t> extents;
    TensorView view;   ///< of a tensor
    double number = 0; ///< of a scalar or a constant
    /// Of a sum of a product and a row, their steps and the product's depth: an implementation may
    /// start the product from the row.
    std::optional<size_t> product, row;
    int64_t depth = 0;
  };
  struct Plan {
    std::vector<Step> steps; ///< operands first
    double cost = 0;
    int64_t deepest = 0; ///< sum
  };
  using LineKey = std::tuple<const Value *, size_t, int64_t, Care>;

  std::vector<int64_t> concrete(const Shape &shape) const;
  const Plan &planOf(const Value &root);
  Plan makePlan(const Value &root);
  void fillStep(Step &step, Plan &plan);
  static Place project(const Place &place, const std::vector<int64_t> &extents);
  /// Of an element by its number in row-major order.
  static Place placeOf(int64_t index, const std::vector<int64_t> &extents);
  static int64_t numberOf(const Place &place, const std::vector<int64_t> &extents);
  static int64_t offsetOf(const Place &place, const std::vector<int64_t> &strides);
  /// The element of the operand of a transpose, squeeze or reshape.
  Place inOperand(const Value &form, const Place &place) const;

  Range evaluate(const Value &root, const Place &place, Care care);
  Range evaluateStep(const Step &step, const Place &place, const std::vector<Range> &done,
                     Care care);
  Range accessRange(const Value &access, const Place &place, Care care);
  /// Of the indices of an access or a position.
  const std::vector<IndexProgram> &programsOf(const Value &value);
  Range productRange(const Value &product, const Place &place, Care care);
  /// Of a reduction or a cumulative sum.
  Range reductionRange(const Value &value, const Place &place, Care care);
  Range computeReduction(const Value &value, const Place &place, Care care);
  int64_t termsOf(const Value &reduction) const;
  /// What an element of a product reads: a row of the left operand, a column of the right one.
  using Lines = std::pair<std::shared_ptr<const Line>, std::shared_ptr<const Line>>;
  Lines linesOf(const Value &product, const Place &place, int64_t count, Care care);
  void leaveOut(const Value &product, Place place, Care care, Lines &lines);
  /// Whether a right implementation may multiply an infinity or a NaN by the 0 of an excluded
  /// element, for an element of a product under a condition.
  bool mayMultiplyExcluded(const Value &product, const Place &place, int64_t count, Care care);
  bool isBehindBound(const Value &product, Place place, Care care);
  std::shared_ptr<const Line> lineOf(const Value &operand, Place place, size_t dimension,
                                     int64_t count, Care care);
  Line makeLine(const Value &operand, Place place, size_t dimension, int64_t count, Care care);

  /// Finds the roundings of weights among what a product multiplies; see weights_.
  void findWeights(const Value &operand);

  const Operands operands_;
  const Evaluated &evaluated_;
  /// Casts of what is computed from a reduction of its row, which a product multiplies. A factor of
  /// the row may be applied to the product instead, so that other numbers are rounded, each to as
  /// many bits.
  std::set<const Value *> weights_;
  std::map<const Value *, Plan> plans_;
  std::map<const Value *, std::vector<IndexProgram>> programs_;
  std::map<LineKey, std::shared_ptr<const Line>> lines_;
  /// A part of a condition.
  struct Bound {
    const Value *value;
    std::optional<IndexProgram> rule; ///< of a position
    std::map<int64_t, bool>
        excludesRows; ///< at an element of the first row: whether it excludes all
  };
  std::map<const Value *, std::vector<Bound>> bounds_;                   ///< of conditions
  std::map<std::tuple<const Value *, int64_t, Care>, Range> reductions_; ///< by place of the result
  int64_t keptNumbers_ = 0;
};

} // namespace mmk
