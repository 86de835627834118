#include "passes/conditions/bounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;

namespace mmk {
namespace {

class BoundsBuilder {
public:
  BoundsBuilder(OpBuilder &b, Location loc, int64_t dim, Value extent, TileNumbers &numbers)
      : b(b), loc(loc), dim(dim), extent(extent), numbers(numbers) {}

  ConditionBounds run(const LinearCondition &condition) {
    ConditionBounds bounds{{index(0), extent}, {}};
    if (condition.isExact)
      bounds.all = {index(0), extent};
    for (const PositionForm &form : condition.atLeastZero) {
      const std::optional<Value> greatest = restOf(form, /*isLargest=*/true);
      const std::optional<Value> least = greatest ? restOf(form, /*isLargest=*/false) : greatest;
      if (greatest)
        restrict(bounds.some, form.factorOf(dim), *greatest);
      if (!least)
        bounds.all = {};
      else if (bounds.all.first)
        restrict(bounds.all, form.factorOf(dim), *least);
    }
    for (const PositionForm &sum : condition.sums)
      keepWhereFits(bounds, sum);
    return bounds;
  }

private:
  /// Nothing is known where a sum leaves 32 bits for some element.
  void keepWhereFits(ConditionBounds &bounds, const PositionForm &sum) {
    const std::optional<Value> greatest = restOf(sum, /*isLargest=*/true),
                               least = restOf(sum, /*isLargest=*/false);
    if (!greatest || !least)
      return; // its condition restricts nothing
    const int64_t factor = sum.factorOf(dim);
    Value reach = arith::MulIOp::create(b, loc, extent, index(factor));
    Value most = factor > 0 ? plus(*greatest, reach) : *greatest;
    Value fewest = factor < 0 ? plus(*least, reach) : *least;
    const auto compare = [&](arith::CmpIPredicate predicate, Value x, int64_t limit) -> Value {
      return arith::CmpIOp::create(b, loc, predicate, x, index(limit));
    };
    Value fits = arith::AndIOp::create(
        b, loc, compare(arith::CmpIPredicate::sle, most, std::numeric_limits<int32_t>::max()),
        compare(arith::CmpIPredicate::sge, fewest, std::numeric_limits<int32_t>::min()));
    const auto choose = [&](Value &known, Value unknown) {
      known = arith::SelectOp::create(b, loc, fits, known, unknown);
    };
    choose(bounds.some.first, index(0));
    choose(bounds.some.end, extent);
    if (bounds.all.first)
      choose(bounds.all.end, bounds.all.first);
  }

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value plus(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }

  /// The largest or least value of a form over the tile, but for the dimension of the loop. Nothing
  /// where it is not known.
  std::optional<Value> restOf(const PositionForm &form, bool isLargest) {
    Value sum = index(form.constant);
    const auto addTimes = [&](Value value, int64_t factor) {
      if (value.getType() != b.getIndexType())
        value = arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
      sum = plus(sum, arith::MulIOp::create(b, loc, value, index(factor)));
    };
    const auto extremeOf = [&](const Extremes &of, int64_t factor) {
      return (factor > 0) == isLargest ? of.greatest : of.least;
    };
    for (auto [scalar, factor] : form.scalars)
      addTimes(numbers.ofScalar(scalar, /*isAdded=*/factor > 0), factor);
    for (auto [along, factor] : form.positions)
      if (along != dim)
        addTimes(extremeOf(numbers.ofPosition(along), factor), factor);
      else if (Value origin = numbers.origin())
        addTimes(origin, factor);
    for (auto [input, factor] : form.inputs) {
      const std::optional<Extremes> of = numbers.ofInput(input);
      if (!of)
        return std::nullopt;
      addTimes(extremeOf(*of, factor), factor);
    }
    return sum;
  }

  /// To the positions with factor * position + rest >= 0.
  void restrict(PositionRange &range, int64_t factor, Value rest) {
    Value zero = index(0);
    if (factor > 0) {
      Value below = arith::MaxSIOp::create(
          b, loc, arith::SubIOp::create(b, loc, zero, rest).getResult(), zero);
      Value from = arith::CeilDivSIOp::create(b, loc, below, index(factor));
      range.first = arith::MaxSIOp::create(b, loc, range.first, from);
    } else if (factor < 0) {
      Value above = arith::MaxSIOp::create(b, loc, plus(rest, index(-factor)), zero);
      Value end = arith::DivSIOp::create(b, loc, above, index(-factor));
      range.end = arith::MinSIOp::create(b, loc, range.end, end);
    } else {
      // The same at all positions.
      Value holds = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, rest, zero);
      range.end = arith::SelectOp::create(b, loc, holds, range.end, zero);
    }
  }

  OpBuilder &b;
  Location loc;
  int64_t dim;
  Value extent;
  TileNumbers &numbers;
};

} // namespace

ConditionBounds boundsOf(OpBuilder &b, Location loc, const LinearCondition &condition, int64_t dim,
                         Value extent, TileNumbers &numbers) {
  return BoundsBuilder(b, loc, dim, extent, numbers).run(condition);
}

PositionRange unite(OpBuilder &b, Location loc, PositionRange x, PositionRange y) {
  if (!x.first || !y.first)
    return {};
  return {arith::MinSIOp::create(b, loc, x.first, y.first),
          arith::MaxSIOp::create(b, loc, x.end, y.end)};
}

PositionRange intersect(OpBuilder &b, Location loc, PositionRange x, PositionRange y) {
  if (!x.first || !y.first)
    return {};
  return {arith::MaxSIOp::create(b, loc, x.first, y.first),
          arith::MinSIOp::create(b, loc, x.end, y.end)};
}

} // namespace mmk
