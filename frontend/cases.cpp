// `case` and `check`: the shapes that a kernel is run at, and the tolerance of its results.
#include "frontend/check_kernel.h"
#include "frontend/numbers.h"
#include "frontend/resolve.h"
#include "frontend/whole.h"
#include "support/element.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mmk {
namespace {

/// Reports a name that is bound a second time in one block.
class Once {
public:
  explicit Once(Diagnostics &diagnostics) : diagnostics_(diagnostics) {}

  bool operator()(const ast::Word &name) {
    const auto [first, isNew] = seen_.try_emplace(name.text, name.where);
    if (!isNew)
      diagnostics_.error(name.where, fmt::format("'{}' is given twice", name.text))
          .notes.push_back({Severity::note, first->second, "first here", {}});
    return isNew;
  }

private:
  Diagnostics &diagnostics_;
  std::map<std::string, SourceRange> seen_;
};

class CaseCheck {
public:
  CaseCheck(const Kernel &kernel, Diagnostics &diagnostics)
      : kernel_(kernel), diagnostics_(diagnostics) {
    for (const Parameter &parameter : kernel.parameters)
      if (parameter.isScalar())
        scalars_.emplace(parameter.name, parameter.type);
  }

  Case check(const ast::Case &tree) {
    Case result{tree.name.text, {}, {}, tree.name.where};
    Once once(diagnostics_);
    std::set<std::string> bound;
    for (const ast::Binding &binding : tree.bindings) {
      bound.insert(binding.name.text);
      if (!once(binding.name))
        continue;
      if (kernel_.isDerived(binding.name.text))
        derived(binding);
      else if (std::ranges::find(kernel_.dimensions, binding.name.text) != kernel_.dimensions.end())
        dimension(binding, result);
      else if (const auto found = scalars_.find(binding.name.text); found != scalars_.end())
        scalar(binding, found->second, result);
      else
        unknown(binding);
    }
    std::vector<std::string> missing;
    for (const std::string &dimension : kernel_.boundDimensions())
      if (!bound.contains(dimension))
        missing.push_back(dimension);
    if (!missing.empty())
      diagnostics_.error(tree.name.where,
                         fmt::format("the case '{}' does not bind {}; a case binds every dimension",
                                     tree.name.text, listOf(missing, "and")));
    else
      calculate(tree, result);
    return result;
  }

private:
  /// What the kernel computes of its dimensions, at those of the case. With other values of int
  /// parameters than the text has, only a case that is run is computed.
  void calculate(const ast::Case &tree, const Case &result) const {
    if (!std::ranges::all_of(kernel_.wholes, &WholeParameter::isDefault))
      return;
    for (const DerivedDimension &derived : kernel_.derived)
      if (!derived.value)
        return; // reported
    std::map<std::string, int64_t> dims(result.dimensions.begin(), result.dimensions.end());
    if (dims.size() < kernel_.boundDimensions().size())
      return;
    if (const std::string problem = completeDimensions(kernel_, dims); !problem.empty())
      diagnostics_.error(tree.name.where,
                         fmt::format("the case '{}': {}", tree.name.text, problem));
  }

  void dimension(const ast::Binding &binding, Case &result) {
    const auto size = parseInteger(binding.value.text);
    if (size && *size >= 0 && *size <= maximumDimension)
      result.dimensions.emplace_back(binding.name.text, *size);
    else
      diagnostics_.error(binding.value.where,
                         fmt::format("the dimension {} is an integer from 0 to {}, found {}",
                                     binding.name.text, maximumDimension, binding.value.text));
  }

  void derived(const ast::Binding &binding) {
    const auto found =
        std::ranges::find(kernel_.derived, binding.name.text, &DerivedDimension::name);
    diagnostics_
        .error(binding.name.where,
               fmt::format("'{}' follows from the other dimensions, so no case binds it",
                           binding.name.text))
        .notes.push_back({Severity::note, found->where, "derived here", {}});
  }

  void scalar(const ast::Binding &binding, ElementType type, Case &result) {
    if (const std::string problem = problemOfScalar(type, binding.value.text); !problem.empty())
      diagnostics_.error(binding.value.where, problem);
    result.scalars.emplace_back(binding.name.text, parseNumber(binding.value.text));
  }

  void unknown(const ast::Binding &binding) {
    const std::string &name = binding.name.text;
    if (std::ranges::find(kernel_.parameters, name, &Parameter::name) != kernel_.parameters.end()) {
      diagnostics_.error(
          binding.name.where,
          fmt::format("'{}' is a tensor; a case binds dimensions and scalars", name));
      return;
    }
    if (const auto whole = std::ranges::find(kernel_.wholes, name, &WholeParameter::name);
        whole != kernel_.wholes.end()) {
      diagnostics_
          .error(binding.name.where,
                 fmt::format("'{0}' is an int parameter, which a case does not bind; give {0}={1} "
                             "on the command line",
                             name, binding.value.text))
          .notes.push_back({Severity::note, whole->where, "declared here", {}});
      return;
    }
    std::vector<std::string> known = kernel_.boundDimensions();
    for (const auto &[scalar, type] : scalars_)
      known.push_back(scalar);
    diagnostics_.error(binding.name.where,
                       fmt::format("'{}' has no dimension or scalar '{}'{}", kernel_.name, name,
                                   suggestion(name, known, "it has")));
  }

  const Kernel &kernel_;
  Diagnostics &diagnostics_;
  std::map<std::string, ElementType> scalars_;
};

void checkTolerance(const ast::Check &tree, Check &check, Diagnostics &diagnostics) {
  static const std::vector<std::string> keys = {"rtol", "atol", "max_error_ratio", "rounding",
                                                "math"};
  Once once(diagnostics);
  for (const ast::Binding &binding : tree.bindings) {
    const std::string &key = binding.name.text;
    if (std::ranges::find(keys, key) == keys.end()) {
      const std::string_view near = nearestWord(key, keys);
      diagnostics.error(binding.name.where,
                        fmt::format("unknown tolerance '{}'{}; tolerances: {}", key,
                                    didYouMean(near), listOf(keys, "and")));
      continue;
    }
    if (!once(binding.name))
      continue;
    if (key == "math") {
      check.isFast = binding.value.text == "fast";
      if (!check.isFast && binding.value.text != "exact")
        diagnostics.error(binding.value.where,
                          fmt::format("math is exact or fast, found {}", binding.value.text));
      continue;
    }
    const std::string &text = binding.value.text;
    const bool isWord = std::isalpha(text[0]) && text != "inf" && text != "nan";
    const double value = isWord ? NAN : parseNumber(text);
    if (key == "rounding") {
      if (value != 0 && value != 1)
        diagnostics.error(binding.value.where,
                          fmt::format("rounding is 1 to add the bound of rounding errors, or 0; "
                                      "found {}",
                                      binding.value.text));
      check.rounding = value != 0;
      continue;
    }
    const bool isRatio = key == "max_error_ratio";
    if (!std::isfinite(value) || value < 0 || (isRatio && value > 1))
      diagnostics.error(binding.value.where,
                        fmt::format("{} is {}, found {}", key,
                                    isRatio ? "a number from 0 to 1" : "a finite number from 0 up",
                                    binding.value.text));
    (key == "rtol" ? check.rtol : key == "atol" ? check.atol : check.maxErrorRatio) = value;
  }
  // The error of a fast form is stated; it is no rounding.
  check.rounding &= !check.isFast;
}

} // namespace

void checkCases(const ast::Kernel &tree, Kernel &kernel, Diagnostics &diagnostics) {
  // Sums in another order may fall on the other side of a rounding: a result is then one unit in
  // the last place away, which is 2^-7 of a bf16 and 2^-10 of an f16.
  for (const Result &result : kernel.results)
    kernel.check.rtol = std::max(kernel.check.rtol, traitsOf(result.type).tolerance);
  std::map<std::string, SourceRange> seen;
  for (const ast::Case &block : tree.cases) {
    const auto [first, isNew] = seen.try_emplace(block.name.text, block.name.where);
    if (!isNew)
      diagnostics
          .error(block.name.where, fmt::format("the case '{}' is defined twice", block.name.text))
          .notes.push_back({Severity::note, first->second, "first here", {}});
    kernel.cases.push_back(CaseCheck(kernel, diagnostics).check(block));
  }
  for (const ast::Check &check : tree.checks) {
    if (&check != &tree.checks.front())
      diagnostics.error(check.where, "a second 'check'; expected one for the whole kernel")
          .notes.push_back({Severity::note, tree.checks.front().where, "first here", {}});
    checkTolerance(check, kernel.check, diagnostics);
  }
}

} // namespace mmk
