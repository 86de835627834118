#include "frontend/index/indexed.h"

#include "frontend/rule_builder.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk {

bool Indexed::has(const std::string &variable) const {
  return std::ranges::find(variables, variable) != variables.end();
}

const Variables::Range *Variables::find(const std::string &variable) const {
  const auto found = ranges_.find(variable);
  return found == ranges_.end() ? nullptr : &found->second;
}

std::optional<Variables::Range> Variables::set(const std::string &variable, Range range) {
  std::optional<Range> before;
  if (const Range *known = find(variable))
    before = *known;
  else
    order_.push_back(variable);
  ranges_.insert_or_assign(variable, std::move(range));
  return before;
}

void Variables::restore(const std::string &variable, std::optional<Range> before) {
  if (before) {
    ranges_.insert_or_assign(variable, std::move(*before));
    return;
  }
  ranges_.erase(variable);
  std::erase(order_, variable);
}

std::vector<std::string> Variables::sorted(const std::vector<std::string> &which) const {
  std::vector<std::string> result;
  for (const std::string &variable : order_)
    if (std::ranges::find(which, variable) != which.end())
      result.push_back(variable);
  return result;
}

Shape Variables::shapeOf(const std::vector<std::string> &variables) const {
  Shape shape;
  for (const std::string &variable : variables)
    shape.push_back(variable.empty() ? Dimension{"", 1} : ranges_.at(variable).dimension);
  return shape;
}

std::vector<std::string> Alignment::unionOf(const std::vector<Indexed> &operands) const {
  std::vector<std::string> all;
  for (const Indexed &operand : operands)
    all.insert(all.end(), operand.variables.begin(), operand.variables.end());
  return variables_.sorted(all);
}

Indexed Alignment::toEndOf(const std::vector<std::string> &target, const Indexed &operand,
                           SourceRange where) {
  size_t first = 0;
  while (first < target.size() && !operand.has(target[first]))
    ++first;
  // As it is, if each dimension stands in its place already.
  const size_t rank = operand.variables.size();
  bool fits = rank <= target.size() && rank + first >= target.size();
  for (size_t d = 0; fits && d < rank; ++d) {
    const std::string &own = operand.variables[d], &wanted = target[target.size() - rank + d];
    fits = own == wanted || (own.empty() && !operand.has(wanted));
  }
  if (fits)
    return operand;
  std::vector<std::string> kept(target.begin() + static_cast<ptrdiff_t>(first), target.end());
  for (std::string &variable : kept)
    if (!operand.has(variable))
      variable.clear();
  return moved(kept, variables_.shapeOf(kept), operand, where);
}

Indexed Alignment::exactly(const std::vector<std::string> &target, const Indexed &operand,
                           SourceRange where) {
  return operand.variables == target ? operand
                                     : moved(target, variables_.shapeOf(target), operand, where);
}

Indexed Alignment::moved(const std::vector<std::string> &target, Shape shape,
                         const Indexed &operand, SourceRange where) {
  std::vector<Index> indices;
  std::vector<size_t> places;
  for (const std::string &variable : operand.variables) {
    const size_t place = std::ranges::find(target, variable) - target.begin();
    places.push_back(variable.empty() ? target.size() : place);
    indices.push_back(variable.empty() ? Index(ruleOf(Rule::Kind::number))
                                       : Index(ruleThatReads(fmt::format("#{}", place))));
  }
  // The last two swapped are a transposition, as `transpose` has it.
  const size_t rank = target.size();
  bool swaps = rank >= 2 && places.size() == rank;
  for (size_t d = 0; swaps && d < rank; ++d)
    swaps = places[d] == (d + 2 < rank ? d : 2 * rank - 3 - d);
  if (swaps)
    return {values_.operation(Operation::transpose, operand.value->type, std::move(shape),
                              {operand.value}, where),
            target};
  return {values_.access(operand.value, std::move(shape), std::move(indices), nullptr, where),
          target};
}

} // namespace mmk
