#include "frontend/index/calculated_dimension.h"

#include "frontend/index/arithmetic.h"
#include "frontend/rule_builder.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>

namespace mmk {
namespace {

using Kind = Rule::Kind;

/// Far below 64 bits, so that sums and products of factors stay exact.
constexpr int64_t largestFactor = int64_t(1) << 30;

/// A sum of terms with factors and a number. A term is a dimension, or the text of what is no sum,
/// such as "(H - 1) / 2"; equal texts are equal terms.
struct Sum {
  std::map<std::string, int64_t> factors;
  int64_t number = 0;

  bool operator==(const Sum &) const = default;
  bool isNumber() const { return factors.empty(); }
  bool isSmall() const {
    const auto fits = [](int64_t each) { return each > -largestFactor && each < largestFactor; };
    return fits(number) &&
           std::ranges::all_of(factors, [&](const auto &each) { return fits(each.second); });
  }
  void add(const std::string &term, int64_t factor) {
    if (factor != 0 && (factors[term] += factor) == 0)
      factors.erase(term);
  }
};

std::string textOf(const Sum &sum) {
  std::string text;
  for (const auto &[term, factor] : sum.factors)
    text += fmt::format("{}*{} + ", factor, term);
  return fmt::format("({}{})", text, sum.number);
}

Sum termOf(std::string text) { return {{{std::move(text), 1}}, 0}; }

Sum scaled(const Sum &sum, int64_t factor) {
  Sum result;
  for (const auto &[term, each] : sum.factors)
    result.add(term, factor * each);
  result.number = factor * sum.number;
  return result;
}

Sum sumOf(Sum left, const Sum &right) {
  for (const auto &[term, factor] : right.factors)
    left.add(term, factor);
  left.number += right.number;
  return left;
}

int64_t floored(int64_t number, int64_t divisor) {
  const int64_t quotient = number / divisor;
  return quotient * divisor > number ? quotient - 1 : quotient;
}

/// Multiples of the divisor leave the floor: (2*H + 3) / 2 is H + 1 + 1 / 2.
Sum quotientOf(const Sum &sum, int64_t divisor) {
  Sum whole, rest;
  for (const auto &[term, factor] : sum.factors) {
    whole.add(term, floored(factor, divisor));
    rest.add(term, factor - divisor * floored(factor, divisor));
  }
  whole.number = floored(sum.number, divisor);
  rest.number = sum.number - divisor * whole.number;
  if (!rest.isNumber())
    whole.add(fmt::format("{} / {}", textOf(rest), divisor), 1);
  return whole;
}

class Calculator {
public:
  explicit Calculator(const Kernel &kernel) : kernel_(kernel) {}

  Sum operator()(const Rule &rule) const {
    if (rule.kind == Kind::number)
      return {{}, rule.number};
    if (rule.kind == Kind::choice)
      return named(rule.choice);
    if (rule.operands.size() != 2)
      return termOf(spellingOf(rule));
    const Sum left = (*this)(*rule.operands[0]), right = (*this)(*rule.operands[1]);
    const bool isSmall = left.isSmall() && right.isSmall();
    const auto opaque = [&] {
      return termOf(fmt::format("{} op{} {}", textOf(left), int(rule.kind), textOf(right)));
    };
    if (!isSmall)
      return opaque();
    switch (rule.kind) {
    case Kind::add:
      return sumOf(left, right);
    case Kind::subtract:
      return sumOf(left, scaled(right, -1));
    case Kind::multiply:
      if (left.isNumber() || right.isNumber())
        return left.isNumber() ? scaled(right, left.number) : scaled(left, right.number);
      return textOf(left) < textOf(right)
                 ? opaque()
                 : termOf(fmt::format("{} op{} {}", textOf(right), int(rule.kind), textOf(left)));
    case Kind::floorDivide:
      return right.isNumber() && right.number > 0 ? quotientOf(left, right.number) : opaque();
    case Kind::floorRemainder:
      if (right.isNumber() && right.number > 0)
        return sumOf(left, scaled(quotientOf(left, right.number), -right.number));
      return opaque();
    default:
      return opaque();
    }
  }

private:
  Sum named(const std::string &name) const {
    const auto whole = std::ranges::find(kernel_.wholes, name, &WholeParameter::name);
    if (whole != kernel_.wholes.end())
      return {{}, whole->value};
    const auto derived = std::ranges::find(kernel_.derived, name, &DerivedDimension::name);
    return derived == kernel_.derived.end() || !derived->value ? termOf(name)
                                                               : (*this)(*derived->value);
  }

  const Kernel &kernel_;
};

/// "P" of p, or with a number where the kernel has that name.
std::string freeName(const std::string &variable, const Kernel &kernel) {
  std::string name = variable;
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  if (!std::isupper(static_cast<unsigned char>(name[0])))
    name = "D" + name;
  const auto isTaken = [&](const std::string &candidate) {
    return std::ranges::find(kernel.dimensions, candidate) != kernel.dimensions.end() ||
           std::ranges::find(kernel.parameters, candidate, &Parameter::name) !=
               kernel.parameters.end() ||
           std::ranges::find(kernel.results, candidate, &Result::name) != kernel.results.end() ||
           std::ranges::find(kernel.wholes, candidate, &WholeParameter::name) !=
               kernel.wholes.end();
  };
  std::string candidate = name;
  for (int number = 2; isTaken(candidate); ++number)
    candidate = fmt::format("{}{}", name, number);
  return candidate;
}

} // namespace

Dimension calculatedDimension(std::unique_ptr<Rule> calculation, const std::string &variable,
                              SourceRange where, Kernel &kernel) {
  const Calculator calculator(kernel);
  const Sum sum = calculator(*calculation);
  if (sum.isNumber())
    return {"", sum.number};
  // As it stands: a derived dimension is itself.
  if (calculation->kind == Kind::choice)
    return {calculation->choice, 0};
  for (const std::string &dimension : kernel.dimensions)
    if (calculator(*ruleThatReads(dimension)) == sum)
      return {dimension, 0};
  DerivedDimension &added = kernel.derived.emplace_back();
  added.name = freeName(variable, kernel);
  added.text = spellingOf(*calculation);
  added.value = std::move(calculation);
  added.where = where;
  added.isOfCall = true;
  kernel.dimensions.push_back(added.name);
  return {added.name, 0};
}

std::optional<int64_t> fixedDifference(const Rule &left, const Rule &right, const Kernel &kernel) {
  const Calculator calculator(kernel);
  const Sum difference = sumOf(calculator(left), scaled(calculator(right), -1));
  return difference.isNumber() ? std::optional(difference.number) : std::nullopt;
}

std::optional<int64_t> roomBehind(const Dimension &steps, int64_t step, const Dimension &extent,
                                  const Kernel &kernel) {
  const auto derived = std::ranges::find(kernel.derived, steps.name, &DerivedDimension::name);
  if (steps.isLiteral() || extent.isLiteral() || derived == kernel.derived.end())
    return std::nullopt;
  const auto number = [&](const Rule &rule) {
    return numberOf(rule, [&](std::string_view name) -> std::optional<int64_t> {
      const auto whole = std::ranges::find(kernel.wholes, name, &WholeParameter::name);
      return whole == kernel.wholes.end() ? std::nullopt : std::optional(whole->value);
    });
  };
  // dividend / step + more
  const Rule *quotient = derived->value.get();
  std::optional<int64_t> more = 0;
  if (quotient->kind == Kind::add) {
    more = number(*quotient->operands[1]);
    quotient = quotient->operands[0].get();
  }
  if (!more || quotient->kind != Kind::floorDivide || number(*quotient->operands[1]) != step)
    return std::nullopt;
  // step * (steps - 1) is at most dividend + step * (more - 1).
  const std::optional<int64_t> difference =
      fixedDifference(*ruleThatReads(extent.name), *quotient->operands[0], kernel);
  return difference ? std::optional(*difference - step * (*more - 1) - 1) : std::nullopt;
}

void explainCalculated(const Shape &shape, const Kernel &kernel, Diagnostic &diagnostic) {
  for (const Dimension &dimension : shape) {
    const auto derived = std::ranges::find(kernel.derived, dimension.name, &DerivedDimension::name);
    if (!dimension.isLiteral() && derived != kernel.derived.end() && derived->isOfCall)
      diagnostic.notes.push_back(
          {Severity::note,
           derived->where,
           fmt::format("{} is {} here; a dim with this value is the same dimension", derived->name,
                       derived->text),
           {}});
  }
}

} // namespace mmk
