#include "lsp/meanings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::lsp {
namespace {

std::string spell(const ast::Type &type) {
  std::string text;
  for (const ast::Word &qualifier : type.qualifiers)
    text += qualifier.text + " ";
  text += type.element.text;
  std::string dimensions;
  for (const ast::Word &dimension : type.dimensions)
    dimensions += (dimensions.empty() ? "" : ", ") + dimension.text;
  return text + (dimensions.empty() ? "" : "[" + dimensions + "]");
}

std::string spell(const ast::Expression &expression) {
  const SourceRange &where = expression.where;
  return std::string(where.file->text().substr(where.begin, where.end - where.begin));
}

std::string spell(const Dimension &dimension) {
  return dimension.isLiteral() ? std::to_string(dimension.literal) : dimension.name;
}

template <typename T> std::string joined(const std::vector<T> &all) {
  std::vector<std::string> texts;
  for (const T &each : all)
    texts.push_back(meaningOf(each));
  return fmt::format("{}", fmt::join(texts, ", "));
}

} // namespace

std::string meaningOf(const ast::Kernel &kernel) {
  return fmt::format("kernel {}({}) -> {}", kernel.name.text, joined(kernel.parameters),
                     joined(kernel.results));
}

std::string meaningOf(const ast::Function &function) {
  std::string over;
  for (const ast::Word &dimension : function.over)
    over += (over.empty() ? "" : ", ") + dimension.text;
  return fmt::format("fn {}{}({})", function.name.text, over.empty() ? "" : "[" + over + "]",
                     joined(function.arguments));
}

std::string meaningOf(const ast::Parameter &parameter) {
  return fmt::format("{}: {}{}", parameter.name.text, spell(parameter.type),
                     parameter.byDefault ? " = " + parameter.byDefault->text : "");
}

std::string meaningOf(const ast::Result &result) {
  return fmt::format("{}: {}", result.name.text, spell(result.type));
}

std::string meaningOf(const ast::Argument &argument) {
  std::string dimensions;
  for (const ast::Word &dimension : argument.dimensions)
    dimensions += (dimensions.empty() ? "" : ", ") + dimension.text;
  return argument.name.text + (dimensions.empty() ? "" : "[" + dimensions + "]") +
         (argument.type ? ": " + argument.type->text : "");
}

TypesOfValues::TypesOfValues(const ast::Kernel &tree, const Kernel *kernel) {
  if (!kernel)
    return;
  for (const Parameter &parameter : kernel->parameters)
    shapes_[parameter.name] = parameter.shape;
  for (const Result &result : kernel->results)
    if (!result.isScalar)
      shapes_[result.name] = result.shape;
  const auto keep = [&](const std::string &name, const Value &value) {
    shapes_[name] = value.shape;
    types_[name] = spelling(value.type, value.shape);
  };
  for (const auto &value : kernel->values)
    if (!value->name.empty() && value->operation != Operation::parameter)
      keep(value->name, *value);
  for (const IndexedValue &indexed : kernel->indexed)
    if (indexed.value)
      keep(indexed.name, *indexed.value);
}

std::string TypesOfValues::meaningOf(const std::string &let) const {
  const auto type = types_.find(let);
  return "let " + let + (type == types_.end() ? "" : ": " + type->second);
}

std::string TypesOfValues::rangeOf(const ast::Statement &statement, size_t place) const {
  if (const ast::ExpressionPtr &range = statement.places[place].range)
    return spell(*range);
  const auto shape = shapes_.find(statement.name.text);
  if (shape != shapes_.end() && shape->second.size() == statement.places.size())
    return spell(shape->second[place]);
  return rangeIn(*statement.value, statement.places[place].name.text);
}

std::string TypesOfValues::rangeOf(const ast::Expression &call, const ast::Place &place) const {
  if (place.range)
    return spell(*place.range);
  std::string range = call.guard ? rangeIn(*call.guard, place.name.text) : "";
  for (const ast::ExpressionPtr &operand : call.operands)
    if (range.empty())
      range = rangeIn(*operand, place.name.text);
  return range;
}

/// The dimension in whose place the variable stands alone.
std::string TypesOfValues::rangeIn(const ast::Expression &tree, const std::string &variable) const {
  if (tree.kind == ast::Expression::Kind::element) {
    const auto shape = shapes_.find(tree.operands[0]->text);
    for (size_t i = 1; i < tree.operands.size() && shape != shapes_.end(); ++i) {
      const ast::Expression &index = *tree.operands[i];
      if (index.kind == ast::Expression::Kind::name && index.text == variable &&
          i <= shape->second.size())
        return spell(shape->second[i - 1]);
    }
  }
  for (const ast::ExpressionPtr &operand : tree.operands)
    if (std::string range = rangeIn(*operand, variable); !range.empty())
      return range;
  return "";
}

} // namespace mmk::lsp
