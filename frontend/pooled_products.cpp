#include "frontend/pooled_products.h"

#include "frontend/index/arithmetic.h"
#include "frontend/index/calculated_dimension.h"
#include "frontend/rule_builder.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace mmk {
namespace {

using Kind = Rule::Kind;

/// So many products of a tile leave room for tiles of some columns: a window of 3 x 3.
constexpr int64_t mostTaps = 9;

const Dimension unit{"", 1};

bool isElementwise(Operation operation) {
  return (operation >= Operation::negate && operation <= Operation::logicalNot) ||
         operation == Operation::cast;
}

/// factor * position + constant; a position of none is a number.
struct Linear {
  std::optional<size_t> position;
  int64_t factor = 0, constant = 0;
};

/// Nothing for an index of several positions, or of another form.
std::optional<Linear> linear(const Rule &rule) {
  if (rule.kind == Kind::number)
    return Linear{{}, 0, rule.number};
  if (rule.kind == Kind::choice)
    return rule.choice.starts_with('#')
               ? std::optional(Linear{std::stoul(rule.choice.substr(1)), 1})
               : std::nullopt;
  if (rule.operands.size() != 2)
    return std::nullopt;
  const std::optional<Linear> left = linear(*rule.operands[0]), right = linear(*rule.operands[1]);
  if (!left || !right)
    return std::nullopt;
  const bool isSum = rule.kind == Kind::add || rule.kind == Kind::subtract;
  if (isSum && !(left->position && right->position)) {
    const int64_t sign = rule.kind == Kind::add ? 1 : -1;
    return Linear{left->position ? left->position : right->position,
                  left->factor + sign * right->factor, left->constant + sign * right->constant};
  }
  const bool isNumber = !left->position || !right->position;
  if (rule.kind == Kind::multiply && isNumber) {
    const Linear &number = left->position ? *right : *left,
                 &other = left->position ? *left : *right;
    return Linear{other.position, other.factor * number.constant, other.constant * number.constant};
  }
  return std::nullopt;
}

Index numberIndex(int64_t number) {
  std::unique_ptr<Rule> rule = ruleOf(Kind::number);
  rule->number = number;
  return rule;
}

Index positionIndex(size_t position) { return ruleThatReads(fmt::format("#{}", position)); }

bool isPosition(const Rule &index, size_t position) {
  return index.kind == Kind::choice && index.choice == fmt::format("#{}", position);
}

/// An index with those of another access in place of its positions.
std::unique_ptr<Rule> composed(const Rule &index, const std::vector<Index> &positions) {
  if (index.kind == Kind::choice && index.choice.starts_with('#'))
    return copyOf(*positions[std::stoul(index.choice.substr(1))]);
  std::unique_ptr<Rule> result = ruleOf(index.kind);
  result->number = index.number;
  result->choice = index.choice;
  for (const auto &operand : index.operands)
    result->operands.push_back(composed(*operand, positions));
  return result;
}

std::vector<Index> composed(const std::vector<Index> &indices, const std::vector<Index> &at) {
  std::vector<Index> result;
  for (const Index &index : indices)
    result.emplace_back(composed(*index, at));
  return result;
}

/// The dimensions of a product that was split: of its rows and of its columns.
struct Parts {
  const Value *product = nullptr;
  size_t batches = 0, rows = 0, columns = 0;
};

/// Nothing for a value that is no product, or one with a condition.
std::optional<Parts> partsOf(const Value &value) {
  const bool isSplit =
      value.operation == Operation::reshape && value.shape.size() > value.operands[0]->shape.size();
  const Value &product = isSplit ? *value.operands[0] : value;
  if (product.operation != Operation::product || product.operands.size() != 2)
    return std::nullopt;
  Parts parts{&product, product.shape.size() - 2, 1, 1};
  if (isSplit) {
    parts.rows = value.along[parts.batches];
    parts.columns = value.along[parts.batches + 1];
    if (std::ranges::any_of(value.along.begin(), value.along.begin() + ptrdiff_t(parts.batches),
                            [](size_t group) { return group != 1; }))
      return std::nullopt;
  }
  return parts;
}

/// One pooling: a reduction over a few taps of what is computed from a product.
class Pooling {
public:
  Pooling(const Value &reduction, Kernel &kernel, Values &values, Typing &typing)
      : reduction_(reduction), kernel_(kernel), values_(values), typing_(typing) {}

  /// The combination, in the dimensions that are kept; adds the products that it pools to
  /// `products`. Null where it is no such pooling.
  const Value *run(std::set<const Value *> &products) {
    if (!isOfFewTaps())
      return nullptr;
    // What is made for one that turns out to be none is needed by nothing.
    std::vector<const Value *> elements;
    forEachTap([&](const std::vector<Index> &place) {
      if (elements.empty() || elements.back())
        elements.push_back(at(*reduction_.operands[0], place));
    });
    if (!elements.back() || !readsOnce())
      return nullptr;
    const Value *result = elements.front();
    for (size_t i = 0; result && i < elements.size(); ++i)
      result = i == 0 ? widened(elements[0]) : combined(result, widened(elements[i]));
    if (!result || result->shape != kept_)
      return nullptr;
    for (const auto &[value, taps] : reads_)
      products.insert(partsOf(*value)->product);
    return narrowed(result);
  }

private:
  bool isOfFewTaps() {
    const Shape &shape = reduction_.operands[0]->shape;
    const size_t rank = shape.size() - reduction_.along.size();
    if (reduction_.operands.size() != 1 || !isFloat(reduction_.type) || rank == 0 ||
        (reduction_.reduction != Reduction::sum && reduction_.reduction != Reduction::maximum &&
         reduction_.reduction != Reduction::minimum))
      return false;
    kept_.assign(shape.begin(), shape.begin() + ptrdiff_t(rank));
    for (size_t i = 0; i < reduction_.along.size(); ++i) {
      const Dimension &dimension = shape[rank + i];
      if (reduction_.along[i] != rank + i || !dimension.isLiteral() ||
          (taps_ *= dimension.literal) > mostTaps)
        return false;
      extents_.push_back(dimension.literal);
    }
    return taps_ > 1;
  }

  template <typename Visit> void forEachTap(Visit visit) {
    std::vector<int64_t> tap(extents_.size(), 0);
    for (;;) {
      std::vector<Index> place;
      for (size_t d = 0; d < kept_.size(); ++d)
        place.push_back(positionIndex(d));
      for (const int64_t each : tap)
        place.push_back(numberIndex(each));
      visit(place);
      size_t d = tap.size();
      while (d > 0 && ++tap[d - 1] == extents_[d - 1])
        tap[--d] = 0;
      if (d == 0)
        return;
    }
  }

  /// What stands in a value at `indices` into its dimensions, over the kept ones: in those that it
  /// reads and all behind them. Null where that is not known.
  const Value *at(const Value &value, const std::vector<Index> &indices) {
    if (value.shape.empty() || isUnchanged(value, indices))
      return &value;
    std::string places;
    for (const Index &index : indices)
      places += spellingOf(*index) + ";";
    const auto [known, isNew] = done_.try_emplace({&value, std::move(places)}, nullptr);
    if (isNew)
      known->second = computed(value, indices);
    return known->second;
  }

  const Value *computed(const Value &value, const std::vector<Index> &indices) {
    if (isElementwise(value.operation))
      return elementwise(value, indices);
    if (const std::optional<Parts> parts = partsOf(value))
      return product(value, *parts, indices);
    if (value.operation == Operation::access) {
      const std::vector<Index> read = composed(value.indices, indices);
      return value.operands.size() == 1 || isInside(*value.operands[0], read)
                 ? at(*value.operands[0], read)
                 : nullptr;
    }
    if (value.operation == Operation::transpose && value.shape.size() > 1) {
      std::vector<Index> swapped = indices;
      std::swap(swapped[swapped.size() - 2], swapped.back());
      return at(*value.operands[0], swapped);
    }
    return value.operation == Operation::parameter ? element(value, indices) : nullptr;
  }

  /// Whether each index is the position with which the dimension is aligned, from the end.
  bool isUnchanged(const Value &value, const std::vector<Index> &indices) const {
    const size_t rank = value.shape.size();
    for (size_t d = 0; d < rank; ++d) {
      const size_t position = kept_.size() - rank + d;
      const bool isOwn = rank <= kept_.size() && isPosition(*indices[d], position) &&
                         value.shape[d] == kept_[position];
      if (!isOwn && value.shape[d] != unit)
        return false;
    }
    return rank <= kept_.size();
  }

  /// Whether a padded tensor is read within its bounds, as far as the extents of the kept
  /// dimensions tell: with P = (H - 2) / 2 + 1, 2*p + 1 is below H.
  bool isInside(const Value &tensor, const std::vector<Index> &indices) const {
    for (size_t d = 0; d < indices.size(); ++d) {
      const std::optional<Linear> index = linear(*indices[d]);
      if (!index || !index->position || index->constant < 0)
        return false;
      const Dimension &kept = kept_[*index->position], &extent = tensor.shape[d];
      if (index->factor == 1 && index->constant == 0 && kept == extent)
        continue;
      const std::optional<int64_t> room = roomBehind(kept, extent, index->factor);
      if (!room || index->constant > *room)
        return false;
    }
    return true;
  }

  /// Positions in `extent` behind the last multiple of `factor` that `kept` counts, at the least;
  /// nothing where the calculation of `kept` does not tell.
  std::optional<int64_t> roomBehind(const Dimension &kept, const Dimension &extent,
                                    int64_t factor) const {
    const auto derived = std::ranges::find(kernel_.derived, kept.name, &DerivedDimension::name);
    if (kept.isLiteral() || extent.isLiteral() || derived == kernel_.derived.end())
      return std::nullopt;
    // dividend / factor + more
    const Rule *quotient = derived->value.get();
    int64_t more = 0;
    if (quotient->kind == Kind::add) {
      const std::optional<int64_t> number = numberOfRule(*quotient->operands[1]);
      if (!number)
        return std::nullopt;
      more = *number;
      quotient = quotient->operands[0].get();
    }
    if (quotient->kind != Kind::floorDivide ||
        numberOfRule(*quotient->operands[1]) != std::optional(factor))
      return std::nullopt;
    // factor * (kept - 1) is at most dividend + factor * (more - 1).
    const std::optional<int64_t> difference =
        fixedDifference(*ruleThatReads(extent.name), *quotient->operands[0], kernel_);
    return difference ? std::optional(*difference - factor * (more - 1) - 1) : std::nullopt;
  }

  std::optional<int64_t> numberOfRule(const Rule &rule) const {
    return numberOf(rule, [&](std::string_view name) -> std::optional<int64_t> {
      const auto whole = std::ranges::find(kernel_.wholes, name, &WholeParameter::name);
      return whole == kernel_.wholes.end() ? std::nullopt : std::optional(whole->value);
    });
  }

  const Value *element(const Value &value, const std::vector<Index> &indices) {
    return values_.access(&value, kept_, indices, nullptr, reduction_.where);
  }

  const Value *elementwise(const Value &value, const std::vector<Index> &indices) {
    std::vector<const Value *> operands;
    Shape shape;
    for (const Value *operand : value.operands) {
      const size_t rank = operand->shape.size();
      std::vector<Index> own(indices.end() - ptrdiff_t(rank), indices.end());
      for (size_t d = 0; d < rank; ++d)
        if (operand->shape[d] == unit)
          own[d] = numberIndex(0);
      operands.push_back(at(*operand, own));
      if (!operands.back())
        return nullptr;
      shape = wider(shape, operands.back()->shape);
    }
    return values_.withOperands(value, std::move(operands), std::move(shape));
  }

  /// The shape that two stretch to, aligned from the end.
  static Shape wider(const Shape &x, const Shape &y) {
    const Shape &longer = x.size() < y.size() ? y : x, &shorter = x.size() < y.size() ? x : y;
    Shape result = longer;
    const size_t offset = longer.size() - shorter.size();
    for (size_t d = 0; d < shorter.size(); ++d)
      if (result[offset + d] == unit)
        result[offset + d] = shorter[d];
    return result;
  }

  // Each dimension is read along the kept one in its place.
  const Value *product(const Value &value, const Parts &parts, const std::vector<Index> &indices) {
    if (value.shape.size() != kept_.size() || !isFloat(parts.product->operands[0]->type))
      return nullptr;
    std::vector<Linear> read;
    for (size_t d = 0; d < kept_.size(); ++d) {
      const std::optional<Linear> index = linear(*indices[d]);
      if (!index || index->position != d)
        return nullptr;
      read.push_back(*index);
    }
    reads_[&value].push_back(read);
    const size_t rowsAt = parts.batches, columnsAt = rowsAt + parts.rows;
    const std::vector<size_t> rows = range(rowsAt, columnsAt),
                              columns = range(columnsAt, kept_.size());
    const Value *left = operand(value, parts, 0, rows, indices),
                *right = operand(value, parts, 1, columns, indices);
    if (!left || !right)
      return nullptr;
    Shape shape(kept_.begin(), kept_.begin() + ptrdiff_t(rowsAt));
    shape.push_back(merged(value, rows));
    shape.push_back(merged(value, columns));
    const Value *result = values_.withOperands(*parts.product, {left, right}, shape);
    return &value == parts.product ? result : values_.withOperands(value, {result}, kept_);
  }

  static std::vector<size_t> range(size_t from, size_t to) {
    std::vector<size_t> all;
    for (; from < to; ++from)
      all.push_back(from);
    return all;
  }

  bool isWhole(const Value &value, size_t dim, const Index &index) const {
    return isPosition(*index, dim) && value.shape[dim] == kept_[dim];
  }

  /// Operand `which` of a product, of which `own` are the dimensions of its rows or columns.
  const Value *operand(const Value &value, const Parts &parts, size_t which,
                       const std::vector<size_t> &own, const std::vector<Index> &indices) {
    const Value &matrix = *parts.product->operands[which];
    const bool isMerged = matrix.operation == Operation::reshape &&
                          matrix.shape.size() < matrix.operands[0]->shape.size();
    const Value &whole = isMerged ? *matrix.operands[0] : matrix;
    const size_t batches = matrix.shape.size() - 2,
                 depth = whole.shape.size() - batches - own.size();
    std::vector<size_t> dims = range(parts.batches - batches, parts.batches);
    bool isSame = std::ranges::all_of(own, [&](size_t d) { return isWhole(value, d, indices[d]); });
    for (size_t i = 0; i < batches; ++i)
      isSame &= matrix.shape[i] == unit || isWhole(value, dims[i], indices[dims[i]]);
    if (isSame)
      return &matrix;
    // In its order: batches, then rows and depth, or depth and columns.
    std::vector<std::optional<size_t>> order(dims.begin(), dims.end());
    order.insert(order.end(), which == 1 ? depth : 0, std::nullopt);
    order.insert(order.end(), own.begin(), own.end());
    order.insert(order.end(), which == 0 ? depth : 0, std::nullopt);
    Shape shape;
    std::vector<Index> read;
    for (size_t i = 0; i < order.size(); ++i) {
      if (!order[i] || whole.shape[i] == unit) {
        shape.push_back(whole.shape[i]);
        read.push_back(positionIndex(i));
        continue;
      }
      // In place of the kept dimension, its place in the operand.
      std::vector<Index> places(kept_.size(), positionIndex(i));
      shape.push_back(kept_[*order[i]]);
      read.emplace_back(composed(*indices[*order[i]], places));
    }
    const Value *windows = window(whole, shape, read);
    if (!isMerged)
      return windows;
    Shape together(shape.begin(), shape.begin() + ptrdiff_t(batches));
    together.push_back(which == 0 ? merged(value, own) : matrix.shape[batches]);
    together.push_back(which == 0 ? matrix.shape.back() : merged(value, own));
    return values_.withOperands(matrix, {windows}, together);
  }

  /// What stands in a value at `indices`, as one access through all that move or read elements.
  const Value *window(const Value &whole, const Shape &shape, std::vector<Index> indices) {
    const Value *value = &whole, *padding = nullptr;
    for (; !padding; value = value->operands[0]) {
      if (value->operation == Operation::access) {
        indices = composed(value->indices, indices);
        padding = value->operands.size() > 1 ? value->operands[1] : nullptr;
      } else if (value->operation == Operation::transpose && value->shape.size() > 1) {
        std::swap(indices[indices.size() - 2], indices.back());
      } else {
        break;
      }
    }
    return values_.access(value, shape, std::move(indices), padding, whole.where);
  }

  /// The dimension that kept ones are together; that of the product where they are as there.
  Dimension merged(const Value &value, const std::vector<size_t> &dims) {
    if (dims.size() == 1)
      return kept_[dims[0]];
    std::unique_ptr<Rule> extent;
    std::string name;
    for (const size_t dim : dims) {
      const Dimension &own = kept_[dim];
      std::unique_ptr<Rule> each =
          own.isLiteral() ? copyOf(*numberIndex(own.literal)) : ruleThatReads(own.name);
      if (extent) {
        auto both = ruleOf(Kind::multiply);
        both->operands.push_back(std::move(extent));
        both->operands.push_back(std::move(each));
        extent = std::move(both);
      } else {
        extent = std::move(each);
      }
      name += own.isLiteral() ? std::to_string(own.literal) : own.name;
    }
    return calculatedDimension(std::move(extent), name, value.where, kernel_);
  }

  /// Whether every product is read, and each of its elements once at the most: along each dimension
  /// the taps lie within the step from one window to the next.
  bool readsOnce() const {
    if (reads_.empty())
      return false;
    for (const auto &[value, taps] : reads_) {
      for (size_t d = 0; d < kept_.size(); ++d) {
        int64_t least = taps[0][d].constant, most = least;
        for (const std::vector<Linear> &tap : taps) {
          least = std::min(least, tap[d].constant);
          most = std::max(most, tap[d].constant);
        }
        if (most - least >= taps[0][d].factor)
          return false;
      }
      if (int64_t(taps.size()) != taps_)
        return false;
    }
    return true;
  }

  const Value *widened(const Value *value) {
    Problem problem;
    return value->type == ElementType::f32
               ? value
               : typing_.cast(ElementType::f32, value, reduction_.where, problem);
  }
  const Value *narrowed(const Value *value) {
    Problem problem;
    return value->type == reduction_.type
               ? value
               : typing_.cast(reduction_.type, value, reduction_.where, problem);
  }
  const Value *combined(const Value *x, const Value *y) {
    const bool isSum = reduction_.reduction == Reduction::sum,
               isMaximum = reduction_.reduction == Reduction::maximum;
    Problem problem;
    return typing_.apply(isSum       ? Operation::add
                         : isMaximum ? Operation::maximum
                                     : Operation::minimum,
                         isSum       ? "+"
                         : isMaximum ? "max"
                                     : "min",
                         {x, y}, reduction_.where, problem);
  }

  const Value &reduction_;
  Kernel &kernel_;
  Values &values_;
  Typing &typing_;
  Shape kept_;                   ///< the dimensions that are not reduced
  std::vector<int64_t> extents_; ///< of those that are
  int64_t taps_ = 1;
  std::map<std::pair<const Value *, std::string>, const Value *> done_; ///< of `at`
  /// How each tap reads the products.
  std::map<const Value *, std::vector<std::vector<Linear>>> reads_;
};

/// The results of a kernel, with the poolings in them replaced.
class Replacement {
public:
  Replacement(Kernel &kernel, Values &values, Typing &typing)
      : kernel_(kernel), values_(values), typing_(typing) {}

  std::vector<const Value *> run() {
    std::vector<const Value *> results;
    for (const Result &result : kernel_.results)
      results.push_back(whole(*result.value));
    return pooled_.empty() || anyIsReadElsewhere(results) ? std::vector<const Value *>() : results;
  }

private:
  /// A value, and whether it lacks the reduced dimensions of a pooling, which have extent 1.
  struct Replaced {
    const Value *value = nullptr;
    bool lacksUnits = false;
  };

  const Value *whole(const Value &value) {
    const Replaced found = of(value);
    if (!found.lacksUnits)
      return found.value;
    std::vector<Index> indices;
    for (size_t d = 0; d < found.value->shape.size(); ++d)
      indices.push_back(positionIndex(d));
    return values_.access(found.value, value.shape, std::move(indices), nullptr, value.where);
  }

  Replaced of(const Value &value) {
    const auto known = done_.find(&value);
    if (known != done_.end())
      return known->second;
    return done_[&value] = replaced(value);
  }

  Replaced replaced(const Value &value) {
    if (value.operation == Operation::reduce)
      if (const Value *pooled = Pooling(value, kernel_, values_, typing_).run(pooled_)) {
        // It may read what other poolings compute.
        return {whole(*pooled), true};
      }
    if (const std::optional<Replaced> without = withoutUnits(value))
      return *without;
    std::vector<const Value *> operands;
    for (const Value *operand : value.operands)
      operands.push_back(whole(*operand));
    return {operands == value.operands
                ? &value
                : values_.withOperands(value, std::move(operands), value.shape)};
  }

  /// What leaves out the dimensions of extent 1, or goes with them as with none.
  std::optional<Replaced> withoutUnits(const Value &value) {
    if (value.operands.empty())
      return std::nullopt;
    const Value &first = *value.operands[0];
    std::vector<std::optional<size_t>> places;
    const bool isMoved = (value.operation == Operation::access && isPermutation(value, places)) ||
                         value.operation == Operation::squeeze;
    if (isMoved) {
      const Replaced operand = of(first);
      const bool isInOrder =
          operand.lacksUnits && operand.value->shape == value.shape &&
          (value.operation == Operation::squeeze || isAscending(places, value.shape.size()));
      return isInOrder ? std::optional(Replaced{operand.value}) : std::nullopt;
    }
    if (!isElementwise(value.operation))
      return std::nullopt;
    std::vector<const Value *> operands;
    Shape shape;
    for (const Value *operand : value.operands) {
      const Replaced found = of(*operand);
      if (!found.value->shape.empty() && !found.lacksUnits)
        return std::nullopt;
      if (found.lacksUnits && !shape.empty() && shape != found.value->shape)
        return std::nullopt;
      if (found.lacksUnits)
        shape = found.value->shape;
      operands.push_back(found.value);
    }
    if (shape.empty())
      return std::nullopt;
    return Replaced{values_.withOperands(value, std::move(operands), std::move(shape)), true};
  }

  static bool isAscending(const std::vector<std::optional<size_t>> &places, size_t count) {
    size_t next = 0;
    for (const std::optional<size_t> &place : places)
      if (place && *place != next++)
        return false;
    return next == count;
  }

  /// Whether a product that is pooled is needed whole all the same.
  bool anyIsReadElsewhere(const std::vector<const Value *> &results) {
    std::set<const Value *> needed;
    for (const Value *value : results)
      collect(value, needed);
    return std::ranges::any_of(pooled_,
                               [&](const Value *product) { return needed.contains(product); });
  }

  static void collect(const Value *value, std::set<const Value *> &all) {
    if (all.insert(value).second)
      for (const Value *operand : value->operands)
        collect(operand, all);
  }

  Kernel &kernel_;
  Values &values_;
  Typing &typing_;
  std::map<const Value *, Replaced> done_;
  std::set<const Value *> pooled_; ///< products whose poolings were replaced
};

} // namespace

std::vector<const Value *> pooledProducts(Kernel &kernel, Values &values, Typing &typing) {
  // A result whose dimensions are wrong has no value; that is reported.
  if (std::ranges::any_of(kernel.results, [](const Result &it) { return it.value == nullptr; }))
    return {};
  return Replacement(kernel, values, typing).run();
}

} // namespace mmk
