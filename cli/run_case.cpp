#include "cli/run_case.h"

#include "cli/ending.h"
#include "cli/option_values.h"
#include "frontend/numbers.h"
#include "runtime/npy.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace mmk::driver {
namespace {

/// The words of the command line, sorted into dimensions and scalars.
class Words {
public:
  Words(const Kernel &kernel, const std::vector<std::string> &words) : kernel_(kernel) {
    for (const std::string &word : words) {
      const auto [name, value] = nameAndValue(word, "ARG=VALUE, such as M=128");
      const auto [first, isNew] = seen_.try_emplace(name, value);
      if (!isNew)
        throw UserError(fmt::format("'{}' is given twice: {} and {}", name, first->second, value));
      bind(name, value);
    }
  }

  const std::map<std::string, int64_t> &dims() const { return dims_; }

  void override(RunCase &run) const {
    for (const auto &[name, size] : dims_)
      run.dims[name] = size;
    for (const auto &[index, value] : scalars_)
      run.scalars[index] = value;
  }
  bool bindsScalar(size_t parameter) const { return scalars_.contains(parameter); }

private:
  void bind(const std::string &name, const std::string &value) {
    if (kernel_.isDerived(name))
      throw UserError(fmt::format("the dimension {} follows from the others, so no value is given "
                                  "for it",
                                  name));
    if (std::ranges::find(kernel_.wholes, name, &WholeParameter::name) != kernel_.wholes.end()) {
      // The kernel has been compiled with it.
      if (const std::string problem = problemOfScalar(ElementType::i32, value); !problem.empty())
        throw UserError(fmt::format("the int parameter {}: {}", name, problem));
      return;
    }
    if (std::ranges::find(kernel_.dimensions, name) != kernel_.dimensions.end()) {
      const auto size = parseInteger(value);
      if (!size || *size < 0 || *size > maximumDimension)
        throw UserError(fmt::format("the dimension {} is an integer from 0 to {}, found {}", name,
                                    maximumDimension, value));
      dims_[name] = *size;
      return;
    }
    const auto parameter = std::ranges::find(kernel_.parameters, name, &Parameter::name);
    if (parameter == kernel_.parameters.end())
      unknown(name);
    if (!parameter->isScalar())
      throw UserError(fmt::format("'{0}' is a tensor; its values come from a file: --input "
                                  "{0}=FILE.npy",
                                  name));
    scalars_[parameter - kernel_.parameters.begin()] = scalar(*parameter, value);
  }

  static double scalar(const Parameter &parameter, const std::string &value) {
    const std::string &name = parameter.name;
    const std::string_view digits = std::string_view(value).substr(value.starts_with('-') ? 1 : 0);
    double ignored = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), ignored);
    const bool isNumber = !digits.starts_with('-') && error != std::errc::invalid_argument &&
                          end == digits.data() + digits.size();
    if (!isNumber)
      throw UserError(fmt::format("the scalar {} is a number, such as 0.5, found {}", name, value));
    if (const std::string problem = problemOfScalar(parameter.type, value); !problem.empty())
      throw UserError(fmt::format("the scalar {}: {}", name, problem));
    return parseNumber(value);
  }

  [[noreturn]] void unknown(const std::string &name) const {
    std::vector<std::string> known = kernel_.boundDimensions();
    for (const Parameter &parameter : kernel_.parameters)
      if (parameter.isScalar())
        known.push_back(parameter.name);
    for (const WholeParameter &whole : kernel_.wholes)
      known.push_back(whole.name);
    throw UserError(fmt::format("'{}' has no dimension or scalar '{}'{}{}", kernel_.name, name,
                                didYouMean(name, known),
                                known.empty() ? "" : "; it has: " + listOf(known, "and")));
  }

  const Kernel &kernel_;
  std::map<std::string, std::string> seen_;
  std::map<std::string, int64_t> dims_;
  std::map<size_t, double> scalars_; ///< by parameter
};

RunCase bound(const Kernel &kernel, const Case *from, const Words &words) {
  RunCase run;
  run.scalars.resize(kernel.parameters.size());
  std::vector<std::string> missing;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter &parameter = kernel.parameters[i];
    bool known = !parameter.isScalar() || parameter.byDefault || words.bindsScalar(i);
    run.scalars[i] = parameter.byDefault.value_or(0);
    for (const auto &[name, value] : from ? from->scalars : decltype(from->scalars)())
      if (name == parameter.name) {
        run.scalars[i] = value;
        known = true;
      }
    if (!known)
      missing.push_back(parameter.name);
  }
  if (from) {
    run.name = from->name;
    run.dims.insert(from->dimensions.begin(), from->dimensions.end());
  }
  words.override(run);
  for (const std::string &dimension : kernel.boundDimensions())
    if (!run.dims.contains(dimension))
      missing.push_back(dimension);
  if (!missing.empty())
    throw UserError(fmt::format(
        "{}{} {} no value; give {}=VALUE{}", from ? fmt::format("the case '{}': ", from->name) : "",
        listOf(missing, "and"), missing.size() == 1 ? "has" : "have", fmt::join(missing, "=VALUE "),
        from || kernel.cases.empty() ? "" : ", or choose a case of the file with --case"));
  if (const std::string problem = completeDimensions(kernel, run.dims); !problem.empty())
    throw UserError(fmt::format("{}: {}", run.title(), problem));
  return run;
}

/// The cases of these names in their order; all cases for "all" or for no name.
std::vector<const Case *> named(const Kernel &kernel, const std::vector<std::string> &names) {
  std::vector<const Case *> all, found;
  std::vector<std::string> legal;
  for (const Case &each : kernel.cases) {
    all.push_back(&each);
    legal.push_back(each.name);
  }
  if (names.empty() || (names == std::vector<std::string>{"all"} && !all.empty()))
    return all;
  for (const std::string &name : names) {
    const auto which = std::ranges::find(legal, name);
    if (which == legal.end())
      throw UserError(fmt::format("'{}' has no case '{}'{}; {}", kernel.name, name,
                                  didYouMean(name, legal),
                                  legal.empty() ? "it has none: give the dimensions instead"
                                                : "cases: " + listOf(legal, "and")));
    found.push_back(all[which - legal.begin()]);
  }
  return found;
}

} // namespace

WholeValues wholesOf(const std::vector<std::string> &words) {
  WholeValues values;
  for (const std::string &word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      continue; // casesToRun refuses it
    if (problemOfScalar(ElementType::i32, word.substr(equals + 1)).empty())
      values.emplace(word.substr(0, equals), *parseInteger(word.substr(equals + 1)));
  }
  return values;
}

std::string RunCase::title() const {
  return name.empty() ? "this case" : fmt::format("the case '{}'", name);
}

std::vector<int64_t> RunCase::extents(const Shape &shape) const {
  std::vector<int64_t> extents;
  for (const Dimension &dimension : shape)
    extents.push_back(dimension.isLiteral() ? dimension.literal : dims.at(dimension.name));
  return extents;
}

std::vector<std::string> dimensionsOfInputs(const Kernel &kernel,
                                            const std::vector<std::string> &names,
                                            const std::vector<std::string> &words,
                                            const std::map<std::string, std::string> &files) {
  std::vector<std::string> bindings;
  if (!names.empty())
    return bindings;
  std::set<std::string> known;
  for (const std::string &word : words)
    known.insert(word.substr(0, word.find('=')));
  for (const Parameter &parameter : kernel.parameters) {
    const auto file = files.find(parameter.name);
    if (file == files.end() || parameter.isScalar())
      continue;
    llvm::Expected<std::vector<int64_t>> read = readNpyShape(file->second);
    if (!read)
      throw UserError(llvm::toString(read.takeError()));
    const std::vector<int64_t> &shape = *read;
    if (shape.size() != parameter.shape.size()) {
      // All dimensions are known, so reading the file checks its shape.
      if (std::ranges::all_of(parameter.shape, [&](const Dimension &dimension) {
            return dimension.isLiteral() || known.contains(dimension.name);
          }))
        continue;
      throw UserError(fmt::format("{}: expected {} dimensions, {}{}, found {}", file->second,
                                  parameter.shape.size(), parameter.name, spelling(parameter.shape),
                                  shape.size()));
    }
    for (size_t i = 0; i < shape.size(); ++i)
      if (const Dimension &dimension = parameter.shape[i]; !dimension.isLiteral() &&
                                                           !kernel.isDerived(dimension.name) &&
                                                           known.insert(dimension.name).second)
        bindings.push_back(fmt::format("{}={}", dimension.name, shape[i]));
  }
  return bindings;
}

bool RunCase::isEmpty() const {
  return std::ranges::any_of(dims, [](const auto &dimension) { return dimension.second == 0; });
}

void expectLaunch(const std::vector<RunCase> &runs, std::string_view who) {
  for (const RunCase &run : runs)
    for (const auto &[name, size] : run.dims)
      if (size == 0)
        throw UserError(fmt::format("{}: {} is 0, so that no kernel is launched, and {} is about "
                                    "its launch; mmk run gives the results",
                                    run.title(), name, who));
}

std::vector<RunCase> casesToRun(const Kernel &kernel, const std::vector<std::string> &names,
                                const std::vector<std::string> &words) {
  const Words given(kernel, words);
  if (names.empty() && (!given.dims().empty() || kernel.cases.empty()))
    return {bound(kernel, nullptr, given)};
  std::vector<RunCase> runs;
  for (const Case *each : named(kernel, names))
    runs.push_back(bound(kernel, each, given));
  return runs;
}

} // namespace mmk::driver
