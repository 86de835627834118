#include "lsp/counting.h"

#include "count/count.h"
#include "frontend/whole_range.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::lsp {
namespace {

/// The dimensions of a case, with those that follow from others, or what is wrong with them.
std::vector<int64_t> dimensionsOf(const Kernel &kernel, const Case &each, std::string &problem) {
  std::map<std::string, int64_t> bound(each.dimensions.begin(), each.dimensions.end());
  problem = completeDimensions(kernel, bound);
  std::vector<int64_t> dims;
  for (const std::string &dimension : kernel.dimensions)
    dims.push_back(problem.empty() ? bound.at(dimension) : 0);
  return dims;
}

std::vector<KnownParameter> knownParameters(const Kernel &kernel, const Case &each) {
  std::vector<KnownParameter> known(kernel.parameters.size());
  for (size_t i = 0; i < known.size(); ++i) {
    const Parameter &parameter = kernel.parameters[i];
    if (!parameter.isScalar() || parameter.type != ElementType::i32)
      continue;
    double value = parameter.byDefault.value_or(0);
    for (const auto &[name, given] : each.scalars)
      value = name == parameter.name ? given : value;
    known[i].scalar = static_cast<int32_t>(value);
  }
  return known;
}

/// The nearest legal variant follows the message that is printed last, as on the command line.
void addMessages(const Lowering &lowering, Diagnostics &all) {
  std::vector<Diagnostic> messages = lowering.messages.all();
  const auto last =
      std::ranges::max_element(messages, [](const Diagnostic &a, const Diagnostic &b) {
        return a.where.begin <= b.where.begin;
      });
  if (last != messages.end() && lowering.nearest)
    last->notes.push_back(
        {Severity::note, {}, "nearest legal: " + spelling(*lowering.nearest), {}});
  for (Diagnostic &message : messages)
    all.add(std::move(message));
}

} // namespace

LoweredText::LoweredText(const std::string &path, const std::string &text, const Machine &machine)
    : machine_(machine), program_(checkProgram(path, text, ofText_, file_, &machine)) {
  if (program_)
    compiler_.emplace(*program_, machine_);
}

Lowering *LoweredText::lowered(const Kernel &kernel) {
  if (const auto found = lowered_.find(kernel.name); found != lowered_.end())
    return &found->second;
  Lowering lowering = compiler_->lower(kernel, compiler_->toIr(kernel), LoweringLevel::aicore, {});
  return &lowered_.emplace(kernel.name, std::move(lowering)).first->second;
}

Diagnostics LoweredText::diagnostics() {
  Diagnostics all = ofText_;
  if (!program_)
    return all;
  for (const auto &kernel : program_->kernels) {
    const Lowering &lowering = *lowered(*kernel);
    if (lowering.isBug)
      all.error(kernel->where, fmt::format("this is a bug in mmk: the passes failed on '{}'; mmk "
                                           "check says how to reproduce it",
                                           kernel->name));
    addMessages(lowering, all);
  }
  return all;
}

LoweredText::Count LoweredText::count(const std::string &kernel, const std::string &kernelCase) {
  if (!program_)
    return {.problem = "the text has errors"};
  if (!backendOf(machine_.kind).hasClock())
    return {.problem = machine_.name + " has no clock but the real one"};
  const auto found =
      std::ranges::find(program_->kernels, kernel, [](const auto &each) { return each->name; });
  if (found == program_->kernels.end())
    return {.problem = fmt::format("there is no kernel '{}'", kernel)};
  const auto each = std::ranges::find((*found)->cases, kernelCase, &Case::name);
  if (each == (*found)->cases.end())
    return {.problem = fmt::format("'{}' has no case '{}'", kernel, kernelCase)};

  Lowering &lowering = *lowered(**found);
  if (!lowering)
    return {.problem = "the default variant is not legal on " + machine_.name};
  Count result{.variant = lowering.variant};
  const std::vector<int64_t> dims = dimensionsOf(**found, *each, result.problem);
  if (result.problem.empty())
    result.problem = llvm::is_contained(dims, 0) ? "no kernel is launched: a dimension is 0"
                                                 : lowering.kernel().limitProblem(dims);
  if (!result.problem.empty())
    return result;
  const std::vector<KnownParameter> known = knownParameters(**found, *each);
  llvm::Expected<ClockReport> report = countCall(lowering.kernel(), machine_, {dims, known});
  if (!report)
    return {.problem = llvm::toString(report.takeError())};
  result.cycles = report->cycles;
  result.microseconds = report->microseconds;
  result.bytes = report->movedBytes;
  result.bound = spelling(report->bound);
  return result;
}

} // namespace mmk::lsp
