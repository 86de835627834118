#include "frontend/tile_roles.h"

#include "frontend/resolve.h"
#include "frontend/rule_builder.h"
#include "schedule/directive.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mmk {
namespace {

/// A dimension of a value, or of a result by its number.
struct Along {
  const Value *value = nullptr;
  size_t result = 0, dim = 0;
  auto operator<=>(const Along &) const = default;
};

/// Dimensions that one iteration goes along: of elementwise work, reductions and results. Operands
/// of products and parameters are not among them: those are read along several.
class Iterations {
public:
  explicit Iterations(const Kernel &kernel) {
    for (const auto &value : kernel.values)
      joinOperands(*value);
    for (size_t i = 0; i < kernel.results.size(); ++i)
      if (const Value *value = kernel.results[i].value; value && hasRole(*value))
        joinAtEnd(value, value->shape, {nullptr, i, 0}, kernel.results[i].shape);
  }

  Along of(Along along) const {
    for (auto found = parents_.find(along); found != parents_.end(); found = parents_.find(along))
      along = found->second;
    return along;
  }

private:
  static bool hasRole(const Value &value) { return value.operation != Operation::parameter; }

  void join(Along left, Along right) {
    left = of(left);
    right = of(right);
    if (left != right)
      parents_[left] = right;
  }

  /// Aligned at the last dimension; one of extent 1 stretches.
  void joinAtEnd(const Value *operand, const Shape &shape, Along target, const Shape &whole) {
    const size_t offset = whole.size() - std::min(whole.size(), shape.size());
    for (size_t d = 0; d < shape.size() && d + offset < whole.size(); ++d) {
      target.dim = d + offset;
      if (shape[d] == whole[d + offset])
        join({operand, 0, d}, target);
    }
  }

  void joinOperands(const Value &value) {
    if (value.operation == Operation::product && value.operands.size() > 2) {
      const Value &guard = *value.operands[2], &guarded = *value.operands[value.along[0]];
      if (hasRole(guard) && hasRole(guarded))
        joinAtEnd(&guard, guard.shape, {&guarded, 0, 0}, guarded.shape);
    }
    if (value.operation == Operation::product || value.operands.empty())
      return;
    const Along own = {&value, 0, 0};
    const Value &first = *value.operands[0];
    const bool isRead = hasRole(first);
    if (value.operation == Operation::access) {
      std::vector<std::optional<size_t>> places;
      if (isRead && isPermutation(value, places))
        for (size_t d = 0; d < places.size(); ++d)
          if (places[d])
            join({&first, 0, d}, {&value, 0, *places[d]});
    } else if (value.operation == Operation::transpose) {
      const size_t rank = value.shape.size();
      if (isRead && first.shape.size() == rank && rank >= 2)
        for (size_t d = 0; d < rank; ++d)
          join({&first, 0, d}, {&value, 0, d + 2 < rank ? d : 2 * rank - 3 - d});
    } else if (value.operation == Operation::reshape) {
      const bool merges = value.shape.size() < first.shape.size();
      size_t longer = 0;
      for (size_t d = 0; isRead && d < value.along.size(); longer += value.along[d++])
        if (value.along[d] == 1)
          join({&first, 0, merges ? longer : d}, {&value, 0, merges ? d : longer});
    } else if (value.operation == Operation::squeeze) {
      for (size_t d = 0, kept = 0; isRead && d < first.shape.size(); ++d)
        if (kept < value.shape.size() && first.shape[d] == value.shape[kept])
          join({&first, 0, d}, {&value, 0, kept++});
    } else if (value.operation == Operation::reduce) {
      if (isRead)
        joinAtEnd(&first, first.shape, own, value.shape);
      if (value.operands.size() > 1 && hasRole(*value.operands[1]) && isRead)
        joinAtEnd(value.operands[1], value.operands[1]->shape, {&first, 0, 0}, first.shape);
    } else if (value.operation != Operation::random) {
      for (const Value *operand : value.operands)
        if (hasRole(*operand))
          joinAtEnd(operand, operand->shape, own, value.shape);
    }
  }

  std::map<Along, Along> parents_;
};

class RoleNames {
public:
  RoleNames(Kernel &kernel, Diagnostics &diagnostics)
      : kernel_(kernel), diagnostics_(diagnostics), iterations_(kernel) {}

  std::set<std::string> refused;

  void name(const ast::Word &value, const ast::Word &variable) {
    const std::string name = fmt::format("{}.{}", value.text, variable.text);
    if (std::ranges::find(kernel_.dimensions, name) != kernel_.dimensions.end())
      return; // by another directive or schedule
    const std::optional<Along> found = find(value, variable);
    if (!found) {
      refused.insert(name);
      return;
    }
    const Along along = iterations_.of(*found);
    const SourceRange where = {value.where.file, value.where.begin, variable.where.end};
    if (const auto [first, isNew] = named_.try_emplace(along, Named{name, where}); !isNew) {
      diagnostics_
          .error(where,
                 fmt::format("'{}' is the same dimension as '{}', which one loop goes along; "
                             "expected one of the two",
                             name, first->second.name))
          .notes.push_back({Severity::note, first->second.where, "first here", {}});
      refused.insert(name);
      return;
    }
    rename(along, *found, name, where);
  }

private:
  struct Named {
    std::string name;
    SourceRange where;
  };

  void error(SourceRange where, std::string message) {
    diagnostics_.error(where, std::move(message));
  }

  /// Nothing after a report.
  std::optional<Along> find(const ast::Word &value, const ast::Word &variable) {
    const auto indexed = std::ranges::find(kernel_.indexed, value.text, &IndexedValue::name);
    if (indexed == kernel_.indexed.end()) {
      std::vector<std::string> names;
      for (const IndexedValue &each : kernel_.indexed)
        names.push_back(each.name);
      error(value.where,
            names.empty()
                ? fmt::format("'{}.{}' is for values of index notation, and '{}' has none; a "
                              "dimension has its name, such as M",
                              value.text, variable.text, kernel_.name)
                : fmt::format("'{}' is no value of index notation{}", value.text,
                              suggestion(value.text, names, "those")));
      return std::nullopt;
    }
    const auto place = std::ranges::find(indexed->variables, variable.text);
    if (place == indexed->variables.end()) {
      error(variable.where, fmt::format("'{}' has no variable {}; variables: {}", value.text,
                                        variable.text, listOf(indexed->variables, "and")));
      return std::nullopt;
    }
    const size_t dim = place - indexed->variables.begin();
    const auto result = std::ranges::find(kernel_.results, value.text, &Result::name);
    const bool isResult = result != kernel_.results.end();
    const Along along = {isResult ? nullptr : indexed->value,
                         isResult ? size_t(result - kernel_.results.begin()) : 0, dim};
    if (shapeOf(along)[dim] == Dimension{"", 1}) {
      error(variable.where,
            fmt::format("'{}.{}' has extent 1, and no tile of its own", value.text, variable.text));
      return std::nullopt;
    }
    return along;
  }

  Shape &shapeOf(const Along &along) {
    if (!along.value)
      return kernel_.results[along.result].shape;
    const auto own =
        std::ranges::find(kernel_.values, along.value, [](const auto &each) { return each.get(); });
    return (*own)->shape;
  }

  void rename(const Along &along, const Along &first, const std::string &name, SourceRange where) {
    const Dimension before = shapeOf(first)[first.dim];
    DerivedDimension &added = kernel_.derived.emplace_back();
    added.name = name;
    added.value = before.isLiteral() ? ruleOf(Rule::Kind::number) : ruleThatReads(before.name);
    added.value->number = before.literal;
    added.text = before.isLiteral() ? std::to_string(before.literal) : before.name;
    added.where = where;
    added.isRole = true;
    kernel_.dimensions.push_back(name);
    const auto visit = [&](Along each, Shape &shape) {
      for (each.dim = 0; each.dim < shape.size(); ++each.dim)
        if (iterations_.of(each) == along)
          shape[each.dim] = {name, 0};
    };
    for (const auto &value : kernel_.values)
      visit({value.get(), 0, 0}, value->shape);
    for (size_t i = 0; i < kernel_.results.size(); ++i)
      visit({nullptr, i, 0}, kernel_.results[i].shape);
  }

  Kernel &kernel_;
  Diagnostics &diagnostics_;
  const Iterations iterations_;
  std::map<Along, Named> named_;
};

} // namespace

std::set<std::string> nameRoles(const ast::Kernel &tree, Kernel &kernel, Diagnostics &diagnostics) {
  std::optional<RoleNames> names;
  for (const ast::Schedule &schedule : tree.schedules)
    for (const ast::Directive &directive : schedule.directives) {
      const DirectiveTraits *traits = findDirective(directive.name.text);
      if (!traits || traits->index == DirectiveIndex::none ||
          traits->index == DirectiveIndex::buffer)
        continue;
      for (const ast::Setting &setting : directive.settings)
        if (setting.key.size() == 2) {
          if (!names)
            names.emplace(kernel, diagnostics);
          names->name(setting.key[0], setting.key[1]);
        }
    }
  return names ? std::move(names->refused) : std::set<std::string>();
}

} // namespace mmk
