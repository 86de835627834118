#include "tests/hunt/kernel.h"

#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::hunt {
namespace {

std::string text(const Declaration &declaration) {
  return fmt::format(
      "{}: {}{}{}{}", declaration.name, declaration.isConstant ? "const " : "",
      spelling(declaration.type),
      declaration.dims.empty() ? "" : fmt::format("[{}]", fmt::join(declaration.dims, ", ")),
      declaration.byDefault.empty() ? "" : " = " + declaration.byDefault);
}

std::string texts(const std::vector<Declaration> &declarations) {
  std::vector<std::string> all;
  for (const Declaration &declaration : declarations)
    all.push_back(text(declaration));
  return fmt::format("{}", fmt::join(all, ", "));
}

/// "tile.M" stands in a schedule as "tile M"; "order" and its like as they are.
std::string directive(std::string key) {
  if (const size_t dot = key.find('.'); dot != std::string::npos)
    key[dot] = ' ';
  return key;
}

} // namespace

std::string text(const Expression &expression) {
  const std::string &head = expression.head;
  const std::vector<Expression> &operands = expression.operands;
  if (operands.empty())
    return head;
  const bool isOperator = !std::isalpha(static_cast<unsigned char>(head.front()));
  if (isOperator && operands.size() == 1)
    return fmt::format("({}{})", head, text(operands[0]));
  if (isOperator)
    return fmt::format("({} {} {})", text(operands[0]), head, text(operands[1]));
  std::vector<std::string> all;
  for (const Expression &operand : operands)
    all.push_back(text(operand));
  return fmt::format("{}({})", head, fmt::join(all, ", "));
}

std::string text(const KernelText &kernel) {
  std::string all =
      fmt::format("kernel sample({}) -> {} {{\n", texts(kernel.parameters), texts(kernel.results));
  for (const std::string &requirement : kernel.requirements)
    all += fmt::format("  require {};\n", requirement);
  for (const Statement &statement : kernel.body)
    all += fmt::format("  {}{}{} = {};\n", statement.isLet ? "let " : "", statement.name,
                       statement.indices, text(statement.value));
  if (!kernel.schedule.empty()) {
    all += "  schedule {\n";
    for (const Alternatives &each : kernel.schedule)
      all += fmt::format("    {} = {};\n", directive(each.key), fmt::join(each.words, " | "));
    all += "  }\n";
  }
  return all + "}\n";
}

} // namespace mmk::hunt
