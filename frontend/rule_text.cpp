#include "frontend/rule_text.h"

#include <fmt/format.h>

namespace mmk {

/// Null for what is no operator of C.
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

static std::string nameOf(const std::string &name, const Kernel &kernel,
                          const std::function<std::string(const std::string &)> &spelled) {
  for (const WholeParameter &whole : kernel.wholes)
    if (whole.name == name)
      return std::to_string(whole.value);
  return name.starts_with('#') ? "i" + name.substr(1) : spelled(name);
}

std::string ruleFunctions(const std::string &specifiers) {
  return fmt::format(R"text(
// The quotient rounded down, and what is left.
{0} int64_t floor_quotient(int64_t x, int64_t y) {{
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}}
{0} int64_t floor_remainder(int64_t x, int64_t y) {{ return x - floor_quotient(x, y) * y; }}
)text",
                     specifiers);
}

std::string textOf(const Rule &rule, const Kernel &kernel) {
  return textOf(rule, kernel, [](const std::string &name) { return name; });
}

std::string textOf(const Rule &rule, const Kernel &kernel,
                   const std::function<std::string(const std::string &)> &spelled) {
  auto operand = [&](size_t i) { return textOf(*rule.operands[i], kernel, spelled); };
  switch (rule.kind) {
  case Rule::Kind::number:
    return std::to_string(rule.number);
  case Rule::Kind::choice:
    return nameOf(rule.choice, kernel, spelled);
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

} // namespace mmk
