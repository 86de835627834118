#include "reference/element_ranges.h"

#include "frontend/product_condition.h"
#include "reference/access.h"
#include "reference/depth_bounds.h"
#include "reference/elementwise.h"
#include "reference/index_program.h"
#include "reference/load_row.h"
#include "reference/random.h"
#include "reference/reduction_range.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <cmath>

namespace mmk {
namespace {

/// Numbers of lines that are kept: 32 MiB of a thread.
constexpr int64_t mostKept = int64_t(1) << 22;
/// Reductions that are kept.
constexpr size_t mostReductions = size_t(1) << 18;

bool isFloatProduct(const Value &value) {
  return value.operation == Operation::product && isFloat(value.type);
}

const Value &withoutTransposes(const Value &value) {
  const Value *base = &value;
  while (base->operation == Operation::transpose)
    base = base->operands[0];
  return *base;
}

/// Whether its elements are those of its operand, in another order or form.
bool isForm(const Value &value) {
  return value.operation == Operation::transpose || value.operation == Operation::squeeze ||
         value.operation == Operation::reshape;
}

/// The product of floats whose elements a value has, in whatever order and form; null for another.
const Value *productBehind(const Value &value) {
  const Value *base = &value;
  while (isForm(*base))
    base = base->operands[0];
  return isFloatProduct(*base) ? base : nullptr;
}

/// Whether its elements are those of a parameter of f32, in whatever order and form.
bool readsNumbers(const Value &value) {
  const Value *base = &value;
  while (isForm(*base) || base->operation == Operation::access)
    base = base->operands[0];
  return base->operation == Operation::parameter && base->type == ElementType::f32;
}

/// Whether it is computed from a reduction, without a product between.
bool readsReduction(const Value &value) {
  const auto ends = [](const Value &it) {
    return it.operation == Operation::product || it.operation == Operation::reduce;
  };
  return std::ranges::any_of(operandsFirst(value, ends),
                             [](const Value *it) { return it->operation == Operation::reduce; });
}

/// By how much a multiple of a number, rounded to a float type, may differ from that of the number:
/// half of the distance of two numbers that are just above a power of two.
double roundingOf(double number, ElementType type) {
  const llvm::fltSemantics &semantics = *traitsOf(type).semantics;
  const int digits = static_cast<int>(llvm::APFloat::semanticsPrecision(semantics)),
            least = llvm::APFloat::semanticsMinExponent(semantics);
  return std::max(std::ldexp(std::fabs(number), -digits), std::ldexp(1, least - digits));
}

} // namespace

ElementRanges::ElementRanges(const Operands &operands, const Evaluated &evaluated)
    : operands_(operands), evaluated_(evaluated) {
  for (const auto &value : operands.kernel.values)
    if (isFloatProduct(*value))
      for (const Value *operand : value->operands)
        findWeights(*operand);
}

void ElementRanges::findWeights(const Value &operand) {
  switch (operand.operation) {
  case Operation::cast:
    if (readsReduction(*operand.operands[0]))
      weights_.insert(&operand);
    break;
  case Operation::transpose:
  case Operation::squeeze:
  case Operation::reshape:
  case Operation::access:
  case Operation::select:
    for (const Value *each : operand.operands)
      findWeights(*each);
    break;
  default:
    break;
  }
}

std::vector<int64_t> ElementRanges::concrete(const Shape &shape) const {
  std::vector<int64_t> extents;
  for (const Dimension &dimension : shape)
    extents.push_back(dimension.isLiteral() ? dimension.literal
                                            : operands_.dims.at(dimension.name));
  return extents;
}

//--- plans --------------------------------------------------------------------------------------

const ElementRanges::Plan &ElementRanges::planOf(const Value &root) {
  const auto known = plans_.find(&root);
  if (known != plans_.end())
    return known->second;
  Plan plan = makePlan(root); // which adds the plans of operands
  return plans_.emplace(&root, std::move(plan)).first->second;
}

ElementRanges::Plan ElementRanges::makePlan(const Value &root) {
  Plan plan;
  std::map<const Value *, size_t> index;
  const auto isLeaf = [](const Value &value) { return !isElementwise(value.operation); };
  for (const Value *value : operandsFirst(root, isLeaf)) {
    Step step{value, {}, concrete(value->shape), {}, 0, {}, {}, 0};
    if (!isLeaf(*value))
      for (const Value *operand : value->operands)
        step.operands.push_back(index.at(operand));
    fillStep(step, plan);
    index.emplace(value, plan.steps.size());
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

void ElementRanges::fillStep(Step &step, Plan &plan) {
  const Value &value = *step.value;
  plan.cost += 1;
  switch (value.operation) {
  case Operation::constant:
    step.number = roundTo(value.type, value.constant);
    break;
  case Operation::parameter:
    if (value.shape.empty())
      step.number = roundTo(value.type, operands_.scalars[value.parameter]);
    else
      step.view = viewOf(*operands_.tensors[value.parameter]);
    break;
  case Operation::product: {
    const int64_t depth = concrete(value.operands[0]->shape).back();
    double costOfTerm = 1;
    for (const Value *operand : value.operands)
      if (const Value &base = withoutTransposes(*operand); base.operation != Operation::parameter)
        costOfTerm += planOf(base).cost;
    plan.cost += costOfTerm * static_cast<double>(depth);
    plan.deepest = std::max(plan.deepest, depth);
    break;
  }
  case Operation::transpose:
    plan.cost += planOf(withoutTransposes(value)).cost;
    break;
  case Operation::extent:
    step.number = roundTo(value.type, extentOf(value, operands_.dims));
    break;
  case Operation::squeeze:
  case Operation::reshape:
  case Operation::access:
    plan.cost += planOf(*value.operands[0]).cost;
    break;
  case Operation::reduce:
  case Operation::cumulate:
    if (!isExactTree(value)) {
      const int64_t depth = termsOf(value);
      plan.cost += planOf(*value.operands[0]).cost * static_cast<double>(depth);
      plan.deepest = std::max(plan.deepest, depth);
    }
    break;
  case Operation::add:
    for (size_t i : {size_t(0), size_t(1)}) {
      const Value *product = productBehind(*value.operands[i]);
      if (product && readsNumbers(*value.operands[1 - i])) {
        step.product = step.operands[i];
        step.row = step.operands[1 - i];
        step.depth = concrete(product->operands[0]->shape).back();
      }
    }
    break;
  default:
    break;
  }
}

//--- places -------------------------------------------------------------------------------------

/// As broadcasting has it: aligned at the last dimension, 0 where the extent is 1.
ElementRanges::Place ElementRanges::project(const Place &place,
                                            const std::vector<int64_t> &extents) {
  Place result;
  result.rank = extents.size();
  for (size_t d = 0; d < extents.size(); ++d)
    result.at[d] = extents[d] == 1 ? 0 : place.at[d + place.rank - extents.size()];
  return result;
}

ElementRanges::Place ElementRanges::placeOf(int64_t index, const std::vector<int64_t> &extents) {
  Place place;
  place.rank = extents.size();
  for (size_t d = extents.size(); d-- > 0; index /= extents[d])
    place.at[d] = index % extents[d];
  return place;
}

int64_t ElementRanges::numberOf(const Place &place, const std::vector<int64_t> &extents) {
  int64_t number = 0;
  for (size_t d = 0; d < place.rank; ++d)
    number = number * extents[d] + place.at[d];
  return number;
}

int64_t ElementRanges::offsetOf(const Place &place, const std::vector<int64_t> &strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < place.rank; ++d)
    offset += place.at[d] * strides[d];
  return offset;
}

ElementRanges::Place ElementRanges::inOperand(const Value &form, const Place &place) const {
  const Value &operand = *form.operands[0];
  if (form.operation == Operation::transpose) {
    Place swapped = place;
    std::swap(swapped.at[place.rank - 1], swapped.at[place.rank - 2]);
    return swapped;
  }
  const std::vector<int64_t> extents = concrete(operand.shape);
  if (form.operation == Operation::reshape)
    return placeOf(offsetOf(place, denseStrides(concrete(form.shape))), extents);
  Place whole;
  whole.rank = extents.size();
  for (size_t d = 0, own = 0; d < extents.size(); ++d)
    if (own < place.rank && operand.shape[d] == form.shape[own])
      whole.at[d] = place.at[own++];
  return whole;
}

//--- evaluation ---------------------------------------------------------------------------------

Range ElementRanges::of(const Result &result, int64_t index, Care care) {
  return evaluate(*result.value, placeOf(index, concrete(result.shape)), care);
}

Range ElementRanges::evaluate(const Value &root, const Place &place, Care care) {
  const Plan &plan = planOf(root);
  std::vector<Range> done;
  done.reserve(plan.steps.size());
  for (const Step &step : plan.steps)
    done.push_back(evaluateStep(step, project(place, step.extents), done, care));
  return done.back();
}

Range ElementRanges::evaluateStep(const Step &step, const Place &place,
                                  const std::vector<Range> &done, Care care) {
  const Value &value = *step.value;
  switch (value.operation) {
  case Operation::constant:
  case Operation::extent:
    return Range::exactly(step.number);
  case Operation::reduce:
  case Operation::cumulate:
    return reductionRange(value, place, care);
  case Operation::squeeze:
  case Operation::reshape:
  case Operation::transpose:
    return evaluate(*value.operands[0], inOperand(value, place), care);
  case Operation::access:
    return accessRange(value, place, care);
  case Operation::random: {
    const double seed = evaluate(*value.operands[0], {}, care).value;
    const std::vector<int64_t> extents = concrete(value.shape);
    int64_t position = 0;
    for (size_t d = 0; d < extents.size(); ++d)
      position = position * extents[d] + place.at[d];
    return Range::exactly(randomNumber(static_cast<int32_t>(seed), position));
  }
  case Operation::position:
    return Range::exactly(
        roundTo(value.type, numberOfPosition(value.type, programsOf(value)[0](place.at.data()))));
  case Operation::parameter: {
    if (step.extents.empty())
      return Range::exactly(step.number);
    return Range::exactly(loadElement(
        step.view.data, static_cast<size_t>(offsetOf(place, step.view.strides)), step.view.type));
  }
  case Operation::product:
    return productRange(value, place, care);
  default:
    break;
  }
  Range operands[3];
  for (size_t i = 0; i < step.operands.size(); ++i)
    operands[i] = done[step.operands[i]];
  Range range = rangeOf(value, operands);
  if (weights_.contains(&value) && std::isfinite(operands[0].low) &&
      std::isfinite(operands[0].high)) {
    range.low = operands[0].low - roundingOf(operands[0].low, value.type);
    range.high = operands[0].high + roundingOf(operands[0].high, value.type);
  }
  if (!step.product)
    return range;
  const double row = done[*step.row].value;
  if (!std::isfinite(row))
    return range;
  if (!done[*step.product].isExact())
    return range.widened(errorOfStart(row, step.depth));
  const Value *product = value.operands[*step.product == step.operands[0] ? 0 : 1];
  Place inProduct = project(place, concrete(product->shape));
  for (; isForm(*product); product = product->operands[0])
    inProduct = inOperand(*product, inProduct);
  const auto [rowLine, columnLine] = linesOf(*product, inProduct, step.depth, care);
  return range.widened(errorOfExactFrom(row, *rowLine, *columnLine, care));
}

Range ElementRanges::productRange(const Value &product, const Place &place, Care care) {
  const Value &left = *product.operands[0], &right = *product.operands[1];
  const Tensor &stored = evaluated_.at(&product);
  const double value = stored[offsetOf(place, viewOf(stored).strides)];
  const bool readsParameters = withoutTransposes(left).operation == Operation::parameter &&
                               withoutTransposes(right).operation == Operation::parameter;
  const bool isInteger = product.type == ElementType::i32;
  if (isInteger && readsParameters)
    return Range::exactly(value);

  const int64_t depth = concrete(left.shape).back();
  const auto [rowLine, columnLine] =
      linesOf(product, place, isInteger ? depth : termsRead(depth, care), care);
  if (isInteger)
    return rangeOfIntegerSum(*rowLine, *columnLine, depth, value);
  Range range = rangeOfSum(*rowLine, *columnLine, depth, value, care);
  range.mayBeNaN |= product.operands.size() > 2 && !standsWithBoth(product) &&
                    mayMultiplyExcluded(product, place, termsRead(depth, care), care);
  return range;
}

const std::vector<IndexProgram> &ElementRanges::programsOf(const Value &value) {
  std::vector<IndexProgram> &programs = programs_[&value];
  if (programs.empty())
    for (const Index &index : value.indices)
      programs.emplace_back(*index, operands_.dims);
  return programs;
}

Range ElementRanges::accessRange(const Value &access, const Place &place, Care care) {
  const std::vector<int64_t> extents = concrete(access.operands[0]->shape);
  Place at;
  at.rank = extents.size();
  for (size_t d = 0; d < at.rank; ++d) {
    at.at[d] = programsOf(access)[d](place.at.data());
    if (at.at[d] < 0 || at.at[d] >= extents[d])
      return evaluate(*access.operands[1], {}, care);
  }
  return evaluate(*access.operands[0], at, care);
}

//--- reductions ---------------------------------------------------------------------------------

int64_t ElementRanges::termsOf(const Value &reduction) const {
  const std::vector<int64_t> extents = concrete(reduction.operands[0]->shape);
  int64_t count = 1;
  for (size_t along : reduction.along)
    count *= extents[along];
  return count;
}

// Each element of a row reads the reductions of the row.
Range ElementRanges::reductionRange(const Value &value, const Place &place, Care care) {
  const int64_t index = offsetOf(place, viewOf(evaluated_.at(&value)).strides);
  const auto known = reductions_.find({&value, index, care});
  if (known != reductions_.end())
    return known->second;
  const Range range = computeReduction(value, place, care);
  if (reductions_.size() >= mostReductions)
    reductions_.clear();
  return reductions_[{&value, index, care}] = range;
}

Range ElementRanges::computeReduction(const Value &value, const Place &place, Care care) {
  const Tensor &stored = evaluated_.at(&value);
  const double result = stored[offsetOf(place, viewOf(stored).strides)];
  const Value &operand = *value.operands[0];
  const bool isCumulative = value.operation == Operation::cumulate;
  if (isExactTree(value))
    return Range::exactly(result);
  const std::vector<int64_t> extents = concrete(operand.shape);
  const int64_t count = isCumulative ? place.at[value.along[0]] + 1 : termsOf(value);
  std::vector<Range> terms;
  terms.reserve(count);
  Place at = place;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t d = value.along.size(); d-- > 0; rest /= extents[value.along[d]])
      at.at[value.along[d]] = rest % extents[value.along[d]];
    const bool isLeftOut =
        value.operands.size() > 1 &&
        evaluate(*value.operands[1], project(at, concrete(value.operands[1]->shape)), care).value ==
            0;
    terms.push_back(isLeftOut ? Range::exactly(identityOf(value.reduction))
                              : evaluate(operand, at, care));
  }
  const Care ofSum = care == Care::quick ? Care::full : care;
  return isCumulative ? rangeOfPlainSum(terms, value.type, result, ofSum)
                      : rangeOfReduction(value, terms, result, ofSum);
}

ElementRanges::Lines ElementRanges::linesOf(const Value &product, const Place &place, int64_t count,
                                            Care care) {
  const Value &left = *product.operands[0], &right = *product.operands[1];
  const std::vector<int64_t> rows = concrete(left.shape), columns = concrete(right.shape);
  const Place row = project(place, rows), column = project(place, columns);
  Lines lines = {lineOf(left, row, rows.size() - 1, count, care),
                 lineOf(right, column, columns.size() - 2, count, care)};
  if (product.operands.size() > 2)
    leaveOut(product, product.along[0] == 0 ? row : column, care, lines);
  return lines;
}

/// The lines with zero for the terms that the condition of the product leaves out; `place` of one
/// element of the operand with which it stands.
void ElementRanges::leaveOut(const Value &product, Place place, Care care, Lines &lines) {
  const Value &guard = *product.operands[2];
  const std::vector<int64_t> extents = concrete(guard.shape);
  const size_t depth = place.rank - (product.along[0] == 0 ? 1 : 2);
  auto left = std::make_shared<Line>(*lines.first), right = std::make_shared<Line>(*lines.second);
  for (size_t k = 0; k < left->values.size(); ++k) {
    place.at[depth] = static_cast<int64_t>(k);
    if (evaluate(guard, project(place, extents), care).value != 0)
      continue;
    for (Line *line : {left.get(), right.get()}) {
      line->values[k] = 0;
      if (!line->errors.empty())
        line->errors[k] = 0;
    }
  }
  lines = {left, right};
}

bool ElementRanges::mayMultiplyExcluded(const Value &product, const Place &place, int64_t count,
                                        Care care) {
  const size_t side = product.along[0];
  const Value &own = *product.operands[side], &other = *product.operands[1 - side];
  const std::vector<int64_t> extents = concrete(other.shape);
  const size_t depth = extents.size() - 2 + side;
  const auto line = lineOf(other, project(place, extents), depth, count, care);
  Place inOwn = project(place, concrete(own.shape));
  for (int64_t k = 0; k < count; ++k) {
    const bool isFinite =
        std::isfinite(line->values[k]) && (line->errors.empty() || std::isfinite(line->errors[k]));
    if (isFinite)
      continue;
    inOwn.at[inOwn.rank - 2 + (1 - side)] = k;
    const Value &condition = *product.operands[2];
    const bool holds =
        evaluate(condition, project(inOwn, concrete(condition.shape)), care).value != 0;
    if (!holds && !isBehindBound(product, inOwn, care))
      return true;
  }
  return false;
}

/// Whether a part of the condition excludes the position along the depth from all rows of the
/// operand with which it stands; `place` of an element of that.
bool ElementRanges::isBehindBound(const Value &product, Place place, Care care) {
  const Value &condition = *product.operands[2];
  auto [found, isNew] = bounds_.try_emplace(&condition);
  if (isNew)
    for (const DepthBound &bound : depthBounds(condition)) {
      Bound &added = found->second.emplace_back(Bound{bound.value, {}, {}});
      if (bound.rule)
        added.rule.emplace(*bound.rule, operands_.dims);
    }
  const size_t rows = place.rank - 2 + product.along[0];
  const int64_t count = concrete(product.operands[product.along[0]]->shape)[rows];
  return std::ranges::any_of(found->second, [&](Bound &bound) {
    const std::vector<int64_t> extents = concrete(bound.value->shape);
    place.at[rows] = 0;
    auto [known, isFirst] =
        bound.excludesRows.try_emplace(numberOf(project(place, extents), extents), true);
    for (; isFirst && known->second && place.at[rows] < count; ++place.at[rows]) {
      const Place at = project(place, extents);
      known->second = bound.rule ? (*bound.rule)(at.at.data()) == 0
                                 : evaluate(*bound.value, at, care).value == 0;
    }
    return known->second;
  });
}

//--- lines --------------------------------------------------------------------------------------

std::shared_ptr<const Line> ElementRanges::lineOf(const Value &operand, Place place,
                                                  size_t dimension, int64_t count, Care care) {
  const Value *base = &operand;
  for (; base->operation == Operation::transpose; base = base->operands[0]) {
    const size_t last = place.rank - 1;
    std::swap(place.at[last], place.at[last - 1]);
    dimension = dimension == last ? last - 1 : last;
  }
  place.at[dimension] = 0;
  const int64_t other = numberOf(place, concrete(base->shape));
  std::shared_ptr<const Line> &line = lines_[{base, dimension, other, care}];
  if (line)
    return line;
  auto made = std::make_shared<const Line>(makeLine(*base, place, dimension, count, care));
  keptNumbers_ += 2 * count;
  if (keptNumbers_ > mostKept) {
    lines_.clear();
    keptNumbers_ = 0;
    return made;
  }
  lines_[{base, dimension, other, care}] = made;
  return made;
}

Line ElementRanges::makeLine(const Value &operand, Place place, size_t dimension, int64_t count,
                             Care care) {
  Line line;
  line.values.resize(count);
  if (operand.operation == Operation::parameter) {
    const TensorView view = viewOf(*operands_.tensors[operand.parameter]);
    loadRow(view, offsetOf(place, view.strides), view.strides[dimension], line.values.data(),
            count);
  } else {
    for (int64_t k = 0; k < count; ++k) {
      place.at[dimension] = k;
      const Range range = evaluate(operand, place, care);
      line.values[k] = range.value;
      if (const double error = range.error(); error > 0) {
        line.errors.resize(count);
        line.errors[k] = error;
      }
    }
  }
  return line;
}

} // namespace mmk
