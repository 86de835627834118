#include "tune/verifier.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace mmk::tune {
namespace {

std::vector<int64_t> extents(const Kernel &kernel, const Dims &dims, const Shape &shape) {
  std::vector<int64_t> extents;
  for (const Dimension &dimension : shape)
    extents.push_back(dimension.isLiteral()
                          ? dimension.literal
                          : dims[std::ranges::find(kernel.dimensions, dimension.name) -
                                 kernel.dimensions.begin()]);
  return extents;
}

/// Whether every operation of the body is exact or correctly rounded, so that small integers leave
/// no freedom: the same bits in whichever order they are summed.
bool isExact(const Kernel &kernel) {
  return std::ranges::none_of(kernel.values, [](const auto &value) {
    switch (value->operation) {
    case Operation::exp:
    case Operation::log:
    case Operation::sqrt:
    case Operation::tanh:
    case Operation::erf:
    case Operation::divide:
      return true;
    default:
      return false;
    }
  });
}

} // namespace

std::string Verifier::ruleOf(const Kernel &kernel) {
  return fmt::format("rtol={} atol={} max_error_ratio={} rounding={:d}", kernel.check.rtol,
                     kernel.check.atol, kernel.check.maxErrorRatio, kernel.check.rounding);
}

Choices Verifier::choicesOf(const std::string &variant) {
  return llvm::cantFail(compiler_.choicesOf(kernel_, variant)); // mmk has printed it
}

llvm::Expected<std::unique_ptr<Executable>> Verifier::compile(const Choices &choices) {
  PipelineOptions options;
  options.choices = choices;
  Lowering lowering =
      compiler_.lower(kernel_, compiler_.toIr(kernel_), LoweringLevel::aicore, options,
                      /*findsNearest=*/false);
  if (!lowering)
    return llvm::createStringError("the passes refuse a variant that was counted: " +
                                   lowering.messages.render());
  ExecutableOptions execution;
  execution.cacheDirectory = cacheDirectory_;
  return Executable::compile(*lowering.module, machine_, execution);
}

llvm::Expected<std::vector<Tensor>> Verifier::makeInputs(const RunShape &shape, DataKind kind) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const Parameter &parameter = kernel_.parameters[i];
    Tensor &input = inputs.emplace_back();
    if (parameter.isScalar())
      continue;
    auto made = Tensor::allocate(parameter.type, extents(kernel_, shape.dims, parameter.shape));
    if (!made)
      return made.takeError();
    input = std::move(*made);
    // Made as by `mmk run`, so that its command line reproduces the result.
    fillWithData(input, kind, 1 + (static_cast<uint64_t>(i) << 40), threads_);
  }
  return inputs;
}

llvm::Expected<Verifier::Example *> Verifier::example(const RunShape &shape, DataKind kind) {
  if (at_ != shape.dims || scalarsAt_ != shape.scalars)
    examples_.clear();
  at_ = shape.dims;
  scalarsAt_ = shape.scalars;
  const auto [entry, isNew] = examples_.try_emplace(kind);
  Example &example = entry->second;
  if (!isNew)
    return &example;
  auto inputs = makeInputs(shape, kind);
  if (!inputs) {
    examples_.erase(entry);
    return inputs.takeError();
  }
  example.inputs = std::move(*inputs);
  for (size_t i = 0; i < shape.dims.size(); ++i)
    example.dims[kernel_.dimensions[i]] = shape.dims[i];
  example.scalars = shape.scalars;
  for (size_t i = 0; i < example.inputs.size(); ++i)
    example.tensors.push_back(kernel_.parameters[i].isScalar() ? nullptr : &example.inputs[i]);
  auto results =
      ResultCheck::create({kernel_, example.dims, example.scalars, example.tensors}, threads_);
  if (!results) {
    examples_.erase(entry);
    return results.takeError();
  }
  example.results.emplace(std::move(*results));
  return &example;
}

llvm::Expected<std::vector<Tensor>> Verifier::makeResults(const RunShape &shape) {
  std::vector<Tensor> results;
  for (const Result &result : kernel_.results) {
    auto made = Tensor::allocate(result.type, extents(kernel_, shape.dims, result.shape));
    if (!made)
      return made.takeError();
    results.push_back(std::move(*made));
  }
  return results;
}

Arguments Verifier::arguments(const RunShape &shape, const std::vector<Tensor> &inputs,
                              std::vector<Tensor> &results) const {
  Arguments arguments;
  arguments.dims.assign(shape.dims.begin(), shape.dims.end());
  arguments.scalars.assign(shape.scalars.begin(), shape.scalars.end());
  for (size_t i = 0; i < inputs.size(); ++i)
    arguments.tensors.push_back(kernel_.parameters[i].isScalar() ? nullptr : inputs[i].data());
  for (Tensor &result : results)
    arguments.results.push_back(result.data());
  return arguments;
}

llvm::Expected<std::vector<Tensor>> Verifier::run(Executable &executable, const RunShape &shape,
                                                  const std::vector<Tensor> &inputs) {
  auto results = makeResults(shape);
  if (!results)
    return results.takeError();
  // A run that skips elements must not inherit the right ones of the previous run.
  for (Tensor &result : *results)
    result.poison();
  if (llvm::Error error = executable.run(arguments(shape, inputs, *results), threads_))
    return std::move(error);
  for (size_t i = 0; i < results->size(); ++i)
    if (!(*results)[i].canariesIntact())
      return llvm::createStringError(
          fmt::format("the compiled kernel wrote beyond the tensor '{}'", kernel_.results[i].name));
  return results;
}

llvm::Expected<Check> Verifier::check(const Choices &choices, const RunShape &shape) {
  auto executable = compile(choices);
  if (!executable)
    return executable.takeError();
  Check check{CheckState::passed, "", 0, 0};
  for (DataKind kind : {DataKind::integers, DataKind::uniform}) {
    auto made = example(shape, kind);
    if (!made)
      return made.takeError();
    auto results = run(**executable, shape, (*made)->inputs);
    if (!results)
      return results.takeError();
    const bool exact = kind == DataKind::integers && isExact(kernel_);
    check.errorRatio = check.maxAbsError = 0;
    bool passed = true;
    for (size_t i = 0; i < results->size(); ++i) {
      const mmk::Check rule = exact ? mmk::Check{0, 0, 0, false} : kernel_.check;
      const Comparison comparison = (*made)->results->check(i, (*results)[i], rule);
      passed &= comparison.passed;
      check.errorRatio = std::max({check.errorRatio, comparison.errorRatio,
                                   comparison.passed ? 0 : comparison.unexplainedRatio()});
      check.maxAbsError = std::max(check.maxAbsError, comparison.maxAbs);
    }
    if (!passed) {
      check.state = CheckState::failed;
      check.data = kind == DataKind::integers ? "integers" : "uniform";
      return check;
    }
  }
  return check;
}

llvm::Expected<Verifier::Subject> Verifier::subject(const RunShape &shape) {
  auto made = example(shape, DataKind::uniform);
  if (!made)
    return made.takeError();
  auto results = makeResults(shape);
  if (!results)
    return results.takeError();
  Subject subject{std::move(*results), {}};
  subject.arguments = arguments(shape, (*made)->inputs, subject.results);
  return subject;
}

llvm::Expected<double> Verifier::milliseconds(Executable &executable, const Subject &subject,
                                              int64_t runs) {
  Arguments arguments = subject.arguments;
  auto packed = packConstants(executable, arguments);
  if (!packed)
    return packed.takeError();
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < runs; ++i)
    if (llvm::Error error = executable.run(arguments, threads_))
      return std::move(error);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / static_cast<double>(runs);
}

llvm::Expected<std::vector<double>> Verifier::time(const Choices &choices, const RunShape &shape,
                                                   int warmup, int runs) {
  auto executable = compile(choices);
  if (!executable)
    return executable.takeError();
  auto subject = this->subject(shape);
  if (!subject)
    return subject.takeError();
  std::vector<double> times;
  for (int i = 0; i < warmup + runs; ++i) {
    auto taken = milliseconds(**executable, *subject, 1);
    if (!taken)
      return taken.takeError();
    if (i >= warmup)
      times.push_back(*taken);
  }
  std::ranges::sort(times);
  return times;
}

llvm::Expected<std::vector<TimedPair>> Verifier::timeInPairs(const Choices &reference,
                                                             const Choices &other,
                                                             const RunShape &shape, int pairs) {
  constexpr double sampleMs = 1;
  std::array<std::unique_ptr<Executable>, 2> executables;
  for (const auto &[executable, choices] :
       {std::pair(&executables[0], &reference), {&executables[1], &other}}) {
    auto compiled = compile(*choices);
    if (!compiled)
      return compiled.takeError();
    *executable = std::move(*compiled);
  }
  auto subject = this->subject(shape);
  if (!subject)
    return subject.takeError();
  int64_t runs = 1;
  for (int warmup = 0; warmup < 2; ++warmup)
    for (const auto &executable : executables) {
      auto taken = milliseconds(*executable, *subject, runs);
      if (!taken)
        return taken.takeError();
      runs = std::max(runs, static_cast<int64_t>(std::min(1000.0, sampleMs / *taken)));
    }
  std::vector<TimedPair> times;
  for (int i = 0; i < pairs; ++i) {
    std::array<double, 2> pair;
    // The first of a pair alternates, too.
    for (size_t which : {i % 2, 1 - i % 2}) {
      auto taken = milliseconds(*executables[which], *subject, runs);
      if (!taken)
        return taken.takeError();
      pair[which] = *taken;
    }
    times.push_back({pair[0], pair[1]});
  }
  return times;
}

} // namespace mmk::tune
