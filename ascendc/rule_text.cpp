#include "ascendc/rule_text.h"

#include "ascendc/kernel_text.h"

#include <fmt/format.h>

namespace mmk::ascendc {

/// Null for what is no operator of C++.
static const char *symbolOf(Rule::Kind kind) {
  switch (kind) {
  case Rule::Kind::add:
    return "+";
  case Rule::Kind::subtract:
    return "-";
  case Rule::Kind::multiply:
    return "*";
  case Rule::Kind::divide:
    return "/";
  case Rule::Kind::remainder:
    return "%";
  case Rule::Kind::equal:
    return "==";
  case Rule::Kind::notEqual:
    return "!=";
  case Rule::Kind::less:
    return "<";
  case Rule::Kind::lessEqual:
    return "<=";
  case Rule::Kind::greater:
    return ">";
  case Rule::Kind::greaterEqual:
    return ">=";
  case Rule::Kind::logicalAnd:
    return "&&";
  case Rule::Kind::logicalOr:
    return "||";
  default:
    return nullptr;
  }
}

static std::string nameOf(const std::string &name, const Kernel &kernel) {
  for (const WholeParameter &whole : kernel.wholes)
    if (whole.name == name)
      return std::to_string(whole.value);
  return name.starts_with('#') ? "i" + name.substr(1) : name;
}

const char *const ruleFunctions = R"text(
// The quotient rounded down, and what is left.
inline int64_t floor_quotient(int64_t x, int64_t y) {
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}
inline int64_t floor_remainder(int64_t x, int64_t y) { return x - floor_quotient(x, y) * y; }
)text";

std::string textOf(const Rule &rule, const Kernel &kernel) {
  auto operand = [&](size_t i) { return textOf(*rule.operands[i], kernel); };
  switch (rule.kind) {
  case Rule::Kind::number:
    return std::to_string(rule.number);
  case Rule::Kind::choice:
    return nameOf(rule.choice, kernel);
  case Rule::Kind::logicalNot:
    return fmt::format("!{}", operand(0));
  case Rule::Kind::floorDivide:
    return fmt::format("floor_quotient({}, {})", operand(0), operand(1));
  case Rule::Kind::floorRemainder:
    return fmt::format("floor_remainder({}, {})", operand(0), operand(1));
  default:
    return fmt::format("({} {} {})", operand(0), symbolOf(rule.kind), operand(1));
  }
}

std::string derivedDimensions(const Kernel &kernel, const std::string &body) {
  std::string lines;
  for (auto dimension = kernel.derived.rbegin(); dimension != kernel.derived.rend(); ++dimension)
    if (mentions(lines + body, dimension->name))
      lines = fmt::format("  const int64_t {} = {};\n", dimension->name,
                          textOf(*dimension->value, kernel)) +
              lines;
  return lines;
}

} // namespace mmk::ascendc
