// Products of windows: sums of products of which one operand is read at computed indices, such as
// convolutions. Each is one product `@`, of matrices whose rows, columns and depth are several
// variables each (implicit GEMM).
#include "frontend/index/body.h"
#include "frontend/index/calculated_dimension.h"

#include <algorithm>
#include <cctype>

namespace mmk {
namespace {

bool isElementwise(const Value &value) {
  return (value.operation >= Operation::negate && value.operation <= Operation::logicalNot) ||
         value.operation == Operation::cast;
}

/// The variables that an index of an access reads.
VariableNames readBy(const Rule &index, const VariableNames &variables) {
  VariableNames read;
  for (size_t d = 0; d < variables.size(); ++d)
    if (index.reads("#" + std::to_string(d)))
      read.push_back(variables[d]);
  return read;
}

/// The first tensor in an operand that is read at computed indices, with its variables; nothing
/// where none is.
Indexed windowIn(const Indexed &operand) {
  const Value &value = *operand.value;
  std::vector<std::optional<size_t>> places;
  if (value.operation == Operation::access && isPermutation(value, places)) {
    Indexed moved{value.operands[0], {}};
    for (const std::optional<size_t> &place : places)
      moved.variables.push_back(place ? operand.variables[*place] : "");
    return windowIn(moved);
  }
  if (value.operation == Operation::access) {
    const auto isComputed = [](const Index &index) {
      return index->kind != Rule::Kind::choice && index->kind != Rule::Kind::number;
    };
    return std::ranges::any_of(value.indices, isComputed) ? operand : Indexed();
  }
  if (value.operation == Operation::transpose) {
    Indexed swapped{value.operands[0], operand.variables};
    std::swap(swapped.variables.end()[-1], swapped.variables.end()[-2]);
    return windowIn(swapped);
  }
  if (isElementwise(value))
    for (const Value *each : value.operands) {
      const auto rank = static_cast<ptrdiff_t>(each->shape.size());
      if (Indexed found =
              windowIn({each, {operand.variables.end() - rank, operand.variables.end()}}))
        return found;
    }
  return {};
}

/// The longest run in `order` of variables of `free` that ends with the last of them.
VariableNames lastRun(const VariableNames &order, const VariableNames &free) {
  VariableNames run;
  for (auto it = order.rbegin(); it != order.rend(); ++it)
    if (contains(free, *it))
      run.insert(run.begin(), *it);
    else if (!run.empty())
      break;
  return run;
}

} // namespace

/// The variables of a product by what they are of its matrices. Of each part, in the order of its
/// elements.
struct IndexBody::WindowRoles {
  VariableNames depth, rows, columns, batches;
  bool areSwapped = false; ///< the operands
};

Indexed IndexBody::windowOf(const Indexed &operand, const Indexed &other,
                            const VariableNames &summed) const {
  const Indexed window = windowIn(operand);
  if (!window)
    return {};
  for (const Index &index : window.value->indices)
    if (index->kind != Rule::Kind::choice)
      for (const std::string &variable : readBy(*index, window.variables))
        if (contains(summed, variable) || !other.has(variable))
          return window;
  return {};
}

/// "PQ" for p and q.
Dimension IndexBody::mergedDimension(const VariableNames &variables, SourceRange where) {
  std::unique_ptr<Rule> product;
  std::string name;
  for (const std::string &variable : variables_.sorted(variables)) {
    const Dimension &own = variables_.find(variable)->dimension;
    auto extent = own.isLiteral() ? ruleOf(Rule::Kind::number) : ruleThatReads(own.name);
    extent->number = own.literal;
    if (product) {
      auto both = ruleOf(Rule::Kind::multiply);
      both->operands.push_back(std::move(product));
      both->operands.push_back(std::move(extent));
      product = std::move(both);
    } else {
      product = std::move(extent);
    }
    for (char letter : variable)
      name += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return calculatedDimension(std::move(product), name, where, context_.kernel);
}

/// An operand as a matrix, by the variables of its batches, of its rows and of its columns.
Indexed IndexBody::matrixOf(const Indexed &operand, const VariableNames &batches,
                            const VariableNames &rows, const VariableNames &columns,
                            SourceRange where) {
  VariableNames target;
  for (const std::string &variable : batches)
    if (!target.empty() || operand.has(variable))
      target.push_back(operand.has(variable) ? variable : "");
  Shape shape = variables_.shapeOf(target);
  std::vector<size_t> groups(target.size(), 1);
  VariableNames merged = target;
  for (const VariableNames *part : {&rows, &columns}) {
    target.insert(target.end(), part->begin(), part->end());
    shape.push_back(mergedDimension(*part, where));
    groups.push_back(part->size());
    merged.push_back(part->back());
  }
  const Indexed whole = align_.exactly(target, operand, where);
  if (whole.variables.size() == shape.size())
    return whole;
  return {context_.values.reshape(whole.value, std::move(shape), std::move(groups), where), merged};
}

// The matrix of the window has, of its rows or columns, all variables that follow each other in the
// statement, so that the result is in one piece there. The depth is in the order of the window's
// tensor in memory.
IndexBody::WindowRoles IndexBody::windowRoles(const VariableNames &summed, const Indexed &window,
                                              Indexed &left, Indexed &right) {
  WindowRoles roles;
  const std::vector<Index> none;
  for (const Index &index : window ? window.value->indices : none)
    for (const std::string &variable : readBy(*index, window.variables))
      if (contains(summed, variable) && !contains(roles.depth, variable))
        roles.depth.push_back(variable);
  // What the window does not read, such as the filter of one pixel, is where the other tensor has
  // it.
  VariableNames others = align_.unionOf({left, right});
  std::erase_if(others, [&](const std::string &each) { return !contains(summed, each); });
  for (auto at = others.begin(); at != others.end(); ++at)
    if (!contains(roles.depth, *at))
      roles.depth.insert(std::ranges::find_if(roles.depth,
                                              [&](const std::string &each) {
                                                return std::find(at, others.end(), each) !=
                                                       others.end();
                                              }),
                         *at);
  VariableNames order = align_.unionOf({left, right}), rows, columns;
  std::erase_if(order, [&](const std::string &each) { return contains(summed, each); });
  for (const std::string &variable : order)
    if (!left.has(variable) || !right.has(variable))
      (left.has(variable) ? rows : columns).push_back(variable);
  roles.rows = lastRun(order, rows);
  roles.columns = lastRun(order, columns);
  const auto place = [&](const VariableNames &part) {
    return std::ranges::find(order, part.back());
  };
  if (place(roles.rows) > place(roles.columns)) {
    std::swap(left, right);
    std::swap(roles.rows, roles.columns);
    roles.areSwapped = true;
  }
  for (const std::string &variable : order)
    if (!contains(roles.rows, variable) && !contains(roles.columns, variable))
      roles.batches.push_back(variable);
  return roles;
}

Indexed IndexBody::windowProduct(const Over &over, size_t guarded, const Indexed &window,
                                 Indexed left, Indexed right, const ast::Expression &expression,
                                 const Frame &frame) {
  const SourceRange where = placeOf(expression, frame);
  const WindowRoles roles = windowRoles(over.variables, window, left, right);
  const Indexed a = matrixOf(left, roles.batches, roles.rows, roles.depth, where),
                b = matrixOf(right, roles.batches, roles.depth, roles.columns, where);
  Problem problem;
  const Value *value =
      context_.typing.apply(Operation::product, "*", {a.value, b.value}, where, problem);
  if (!value)
    return report(std::move(problem), expression, {left, right}, frame);
  if (over.guard) {
    const size_t side = roles.areSwapped ? 1 - guarded : guarded;
    const Indexed &own = side == 0 ? left : right,
                  all = align_.exactly(align_.unionOf({own}), *over.guard, where),
                  guard = side == 0
                              ? matrixOf(all, roles.batches, roles.rows, roles.depth, where)
                              : matrixOf(all, roles.batches, roles.depth, roles.columns, where);
    value = context_.values.productWhere(*value, guard.value, side, where);
  }
  VariableNames all = roles.batches;
  std::vector<size_t> groups(all.size(), 1);
  for (const VariableNames *part : {&roles.rows, &roles.columns}) {
    all.insert(all.end(), part->begin(), part->end());
    groups.push_back(part->size());
  }
  if (all.size() == value->shape.size())
    return {value, all};
  return {context_.values.reshape(value, variables_.shapeOf(all), std::move(groups), where), all};
}

} // namespace mmk
