#include "passes/chains/weights_range.h"

#include "passes/chains/element.h"
#include "passes/dimensions.h"
#include "passes/row_space.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>
#include <map>

using namespace mlir;

namespace mmk {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// From the least to the largest value; all numbers where nothing is known.
struct Range {
  double low = -infinity, high = infinity;

  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
};

Range unionOf(Range x, Range y) { return {std::min(x.low, y.low), std::max(x.high, y.high)}; }
Range negated(Range x) { return {-x.high, -x.low}; }
Range sum(Range x, Range y) {
  const double low = x.low + y.low, high = x.high + y.high;
  return {std::isnan(low) ? -infinity : low, std::isnan(high) ? infinity : high};
}

Range product(Range x, Range y) {
  // The ends of ranges are limits: 0 times infinity is 0.
  const auto times = [](double a, double b) { return a == 0 || b == 0 ? 0 : a * b; };
  const double ends[] = {times(x.low, y.low), times(x.low, y.high), times(x.high, y.low),
                         times(x.high, y.high)};
  return {*std::ranges::min_element(ends), *std::ranges::max_element(ends)};
}

Range quotient(Range x, Range y) {
  return y.low > 0 || y.high < 0 ? product(x, {1 / y.high, 1 / y.low}) : Range();
}

Range absolute(Range x) { return {std::max({0.0, x.low, -x.high}), x.magnitude()}; }

double largestOf(FloatType type) {
  return APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
}

/// Of all values of a type that a kernel reads.
Range rangeOf(Type type) {
  if (auto number = dyn_cast<FloatType>(type))
    return {-largestOf(number), largestOf(number)};
  const double most = std::ldexp(1.0, static_cast<int>(type.getIntOrFloatBitWidth()) - 1);
  return type.isInteger(1) ? Range{0, 1} : Range{-most, most - 1};
}

/// The element that a reduction of rows combines by this operation; null for another one.
template <typename Combine> Value reducedBy(linalg::GenericOp op) {
  if (!op || !isRowReduction(op) || op.getNumResults() != 1)
    return {};
  auto combine = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<Combine>();
  if (!combine)
    return {};
  return combine.getLhs() == op.getRegionOutputArgs()[0] ? combine.getRhs() : combine.getLhs();
}

class WeightsRange {
public:
  explicit WeightsRange(linalg::GenericOp op)
      : rank(cast<RankedTensorType>(op.getResult(0).getType()).getRank()), columns(rank - 1),
        columnsName(dimName(op.getResult(0), rank - 1)),
        weights(elementOf(op, llvm::to_vector(llvm::seq<int64_t>(rank)), -1)) {}

  bool fits() {
    const Range range = rest(weights);
    return !leavesOut || range.magnitude() <= largestOf(cast<FloatType>(weights.value.getType()));
  }

private:
  Range rest(const Element &element);
  Range of(const Element &element);
  Range compute(const Element &it);
  Range ofRead(const Element &it, OpOperand *operand);
  Range ofExponential(const Element &argument);
  bool isAtLeast(const Element &bound, const Element &element);
  bool isAtLeastByBranch(const Element &bound, arith::SelectOp select, const Element &element);
  bool waits(const Element &element);
  bool isOfRow(const Element &element);
  bool reducesColumns(linalg::GenericOp op);

  int64_t rank, columns; ///< the id of the columns
  StringRef columnsName;
  Element weights;
  bool leavesOut = false;          ///< whether there is a factor
  SmallVector<Element> conditions; ///< that hold where weights are not 0
  std::map<std::pair<void *, SmallVector<int64_t>>, Range> known;
};

bool WeightsRange::reducesColumns(linalg::GenericOp op) {
  return isRowReduction(op) &&
         llvm::any_of(llvm::zip(op.getIteratorTypesArray(), dimNames(op)), [&](auto loop) {
           return std::get<0>(loop) == utils::IteratorType::reduction &&
                  std::get<1>(loop) == columnsName;
         });
}

/// Whether it is computed from a reduction of the row.
bool WeightsRange::waits(const Element &element) {
  const Element it = element.computed();
  if (OpOperand *operand = it.read(it.value)) {
    auto from = operand->get().getDefiningOp<linalg::GenericOp>();
    return from && reducesColumns(from);
  }
  Operation *op = it.value.getDefiningOp();
  return op && op->getBlock() == it.body() &&
         llvm::any_of(op->getOperands(), [&](Value operand) { return waits(it.at(operand)); });
}

/// Whether it is the same for all columns.
bool WeightsRange::isOfRow(const Element &element) {
  const Element it = element.computed();
  if (OpOperand *operand = it.read(it.value)) {
    const auto dims = it.dimsOf(operand);
    return dims && !llvm::is_contained(*dims, columns);
  }
  Operation *op = it.value.getDefiningOp();
  if (!op || op->getBlock() != it.body())
    return true;
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return it.ids[index.getDim()] != columns;
  return llvm::all_of(op->getOperands(), [&](Value operand) { return isOfRow(it.at(operand)); });
}

/// Without the factors of rows: those that the loop takes out of the weights.
Range WeightsRange::rest(const Element &element) {
  const Element it = element.computed();
  Operation *op = it.value.getDefiningOp();
  if (!op || !waits(it))
    return of(it);
  const auto operand = [&](unsigned i) { return it.at(op->getOperand(i)); };
  const auto isFactor = [&](unsigned i) { return waits(operand(i)) && isOfRow(operand(i)); };
  if (isa<arith::TruncFOp, arith::ExtFOp>(op))
    return rest(operand(0));
  if (isa<arith::DivFOp>(op)) {
    leavesOut |= isFactor(1);
    return isFactor(1) ? rest(operand(0)) : quotient(rest(operand(0)), of(operand(1)));
  }
  if (isa<arith::MulFOp>(op)) {
    for (unsigned i : {0, 1})
      if (isFactor(i)) {
        leavesOut = true;
        return rest(operand(1 - i));
      }
    const unsigned waiting = waits(operand(0)) ? 0 : 1;
    return waits(operand(1 - waiting)) ? of(it)
                                       : product(rest(operand(waiting)), of(operand(1 - waiting)));
  }
  if (isa<arith::SelectOp>(op) && !waits(operand(0)))
    for (unsigned i : {1, 2})
      if (matchPattern(operand(i).computed().value, m_AnyZeroFloat())) {
        if (i == 2)
          conditions.push_back(operand(0));
        return unionOf(rest(operand(3 - i)), {0, 0});
      }
  return of(it);
}

Range WeightsRange::of(const Element &element) {
  const Element it = element.computed();
  const std::pair<void *, SmallVector<int64_t>> key(it.value.getAsOpaquePointer(), it.ids);
  if (const auto found = known.find(key); found != known.end())
    return found->second;
  return known[key] = compute(it);
}

Range WeightsRange::compute(const Element &it) {
  if (OpOperand *operand = it.read(it.value))
    return ofRead(it, operand);
  Operation *op = it.value.getDefiningOp();
  if (!op)
    return rangeOf(it.value.getType());
  const auto operand = [&](unsigned i) { return of(it.at(op->getOperand(i))); };
  return llvm::TypeSwitch<Operation *, Range>(op)
      .Case([&](arith::ConstantOp constant) -> Range {
        auto number = dyn_cast<FloatAttr>(constant.getValue());
        return number ? Range{number.getValueAsDouble(), number.getValueAsDouble()} : Range();
      })
      .Case<arith::TruncFOp, arith::ExtFOp>([&](auto) { return operand(0); })
      .Case<arith::SIToFPOp, arith::UIToFPOp>(
          [&](auto) { return rangeOf(op->getOperand(0).getType()); })
      .Case([&](arith::NegFOp) { return negated(operand(0)); })
      .Case([&](math::AbsFOp) { return absolute(operand(0)); })
      .Case([&](arith::AddFOp) { return sum(operand(0), operand(1)); })
      .Case([&](arith::SubFOp) { return sum(operand(0), negated(operand(1))); })
      .Case([&](arith::MulFOp) { return product(operand(0), operand(1)); })
      .Case([&](arith::DivFOp) { return quotient(operand(0), operand(1)); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>([&](auto) -> Range {
        const Range x = operand(0), y = operand(1);
        return {std::max(x.low, y.low), std::max(x.high, y.high)};
      })
      .Case<arith::MinimumFOp, arith::MinNumFOp>([&](auto) -> Range {
        const Range x = operand(0), y = operand(1);
        return {std::min(x.low, y.low), std::min(x.high, y.high)};
      })
      .Case([&](arith::SelectOp) { return unionOf(operand(1), operand(2)); })
      .Case([&](math::ExpOp) { return ofExponential(it.at(op->getOperand(0))); })
      .Case<math::TanhOp, math::ErfOp>([](auto) { return Range{-1, 1}; })
      .Case([](math::ExpM1Op) { return Range{-1, infinity}; })
      .Case([](math::SqrtOp) { return Range{0, infinity}; })
      .Default([](Operation *) { return Range(); });
}

Range WeightsRange::ofRead(const Element &it, OpOperand *operand) {
  const Value tensor = operand->get();
  Operation *from = behindViews(tensor).getDefiningOp();
  if (!from)
    return rangeOf(getElementTypeOrSelf(tensor.getType()));
  auto reduction = dyn_cast<linalg::GenericOp>(from);
  const auto dims = it.dimsOf(operand);
  const Value combined = reducedBy<arith::AddFOp>(reduction);
  if (tensor.getDefiningOp() != from || !dims || !combined)
    return {};
  const Range element = of(elementOf(reduction, *dims, rank).at(combined));
  return {element.low >= 0 ? 0 : -infinity, element.high <= 0 ? 0 : infinity};
}

Range WeightsRange::ofExponential(const Element &argument) {
  Range range = of(argument);
  const Element it = argument.computed();
  if (auto difference = it.value.getDefiningOp<arith::SubFOp>())
    if (isAtLeast(it.at(difference.getRhs()), it.at(difference.getLhs())))
      range.high = std::min(range.high, 0.0);
  return {std::exp(range.low), std::exp(range.high)};
}

/// Whether a bound is the maximum of the element's row, or more.
bool WeightsRange::isAtLeast(const Element &bound, const Element &element) {
  const Element it = bound.computed();
  if (auto larger = it.value.getDefiningOp<arith::MaximumFOp>())
    return isAtLeast(it.at(larger.getLhs()), element) || isAtLeast(it.at(larger.getRhs()), element);
  // The maximum, but where that is at most a number: the element is no larger there.
  if (auto select = it.value.getDefiningOp<arith::SelectOp>())
    return isAtLeastByBranch(it, select, element);
  OpOperand *operand = it.read(it.value);
  auto reduction = operand ? operand->get().getDefiningOp<linalg::GenericOp>() : nullptr;
  const auto dims = operand ? it.dimsOf(operand) : std::nullopt;
  const Value largest = reducedBy<arith::MaximumFOp>(reduction);
  if (!dims || !largest || !reducesColumns(reduction))
    return false;
  const Element whole = elementOf(reduction, *dims, columns);
  Element compared = whole.at(largest).computed();
  // The maximum may leave out elements whose weights are 0.
  if (auto select = compared.value.getDefiningOp<arith::SelectOp>())
    if (llvm::any_of(conditions, [&](const Element &condition) {
          return areSame(condition, compared.at(select.getCondition()));
        }))
      compared = compared.at(select.getTrueValue());
  return areSame(compared, element);
}

/// select(m <= c, d, m) of a maximum m and numbers c <= d, or its like.
bool WeightsRange::isAtLeastByBranch(const Element &bound, arith::SelectOp select,
                                     const Element &element) {
  const Element condition = bound.at(select.getCondition()).computed();
  auto compare = condition.value.getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return false;
  using Predicate = arith::CmpFPredicate;
  const bool isLow = llvm::is_contained(
      {Predicate::OEQ, Predicate::OLE, Predicate::OLT, Predicate::ULE, Predicate::ULT},
      compare.getPredicate());
  const bool isHigh = llvm::is_contained({Predicate::UNE, Predicate::ONE, Predicate::OGT,
                                          Predicate::OGE, Predicate::UGT, Predicate::UGE},
                                         compare.getPredicate());
  if (!isLow && !isHigh)
    return false;
  const Element low = bound.at(isLow ? select.getTrueValue() : select.getFalseValue()),
                kept = bound.at(isLow ? select.getFalseValue() : select.getTrueValue());
  return of(condition.at(compare.getRhs())).high <= of(low).low &&
         areSame(condition.at(compare.getLhs()), kept) && isAtLeast(kept, element);
}

} // namespace

bool fitWithoutFactors(Value weights) {
  auto op = weights.getDefiningOp<linalg::GenericOp>();
  // Ranges other than f16's end where f32's does, in which the factors are applied.
  return !op || !isa<Float16Type>(getElementTypeOrSelf(weights.getType())) ||
         WeightsRange(op).fits();
}

} // namespace mmk
