#include "driver/case_runner.h"

#include "cli/ending.h"
#include "cli/stopwatch.h"
#include "driver/footprint.h"
#include "reference/check.h"
#include "reference/empty_call.h"
#include "runtime/npy.h"
#include "support/timing.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

/// The share of a run's time up to which its compilation is subtracted.
constexpr double mostCompiling = 0.1;

Tensor allocateOrRefuse(ElementType type, std::vector<int64_t> extents) {
  llvm::Expected<Tensor> tensor = Tensor::allocate(type, std::move(extents));
  if (!tensor)
    throw UserError(llvm::toString(tensor.takeError()));
  return std::move(*tensor);
}

void orRefuse(llvm::Error error) {
  if (error)
    throw UserError(llvm::toString(std::move(error)));
}

void expectIntact(const Tensor &tensor, const std::string &name) {
  if (!tensor.canariesIntact())
    throw Bug(fmt::format("the compiled kernel wrote beyond the tensor '{}'", name));
}

} // namespace

CaseRunner::CaseRunner(const Kernel &kernel, const RunOptions &options, Executable &executable,
                       aicore::KernelOp code, const Machine &machine)
    : kernel_(kernel), options_(options), executable_(executable), code_(code), machine_(machine) {}

std::vector<int64_t> CaseRunner::dimsOf(const RunCase &run) const {
  std::vector<int64_t> dims;
  for (const std::string &dimension : kernel_.dimensions)
    dims.push_back(run.dims.at(dimension));
  return dims;
}

std::unique_ptr<KernelWatch> CaseRunner::makeWatch(const RunCase &run) {
  if (!options_.watch || run.isEmpty())
    return nullptr;
  auto watch = KernelWatch::create(code_, machine_, dimsOf(run));
  if (!watch)
    throw Bug(llvm::toString(watch.takeError()));
  return std::move(*watch);
}

void CaseRunner::readInputs(const std::vector<RunCase> &runs) {
  for (const Parameter &parameter : kernel_.parameters) {
    const auto file = options_.inputs.find(parameter.name);
    if (file == options_.inputs.end())
      continue;
    const std::vector<int64_t> wanted = runs.front().extents(parameter.shape);
    llvm::Expected<Tensor> tensor = readNpy(file->second, parameter.type, &wanted);
    if (!tensor)
      throw UserError(llvm::toString(tensor.takeError()));
    for (const RunCase &run : runs)
      orRefuse(expectShape(*tensor, file->second, run.extents(parameter.shape)));
    given_.emplace(parameter.name, std::move(*tensor));
  }
}

std::vector<const Tensor *> CaseRunner::makeInputs(const RunCase &run) {
  const size_t count = kernel_.parameters.size();
  std::vector<const Tensor *> inputs(count);
  made_.clear();
  made_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const Parameter &parameter = kernel_.parameters[i];
    if (parameter.isScalar())
      continue;
    if (const auto given = given_.find(parameter.name); given != given_.end()) {
      inputs[i] = &given->second;
      continue;
    }
    made_[i] = allocateOrRefuse(parameter.type, run.extents(parameter.shape));
    // Far apart, so that no tensor of one seed equals another tensor of the next seed.
    const uint64_t seed = static_cast<uint64_t>(options_.seed) + (static_cast<uint64_t>(i) << 40);
    fillWithData(made_[i], options_.data, seed, options_.threads);
    inputs[i] = &made_[i];
  }
  return inputs;
}

void CaseRunner::makeResults(const RunCase &run) {
  results_.clear();
  for (const Result &result : kernel_.results)
    results_.push_back(allocateOrRefuse(result.type, run.extents(result.shape)));
}

void CaseRunner::prepare(const RunCase &run) {
  const TimedScope timed("data");
  run_ = run;
  std::vector<Workspace> packed;
  for (const PackedOperand &operand : executable_.packedOperands())
    if (!run.isEmpty())
      packed.push_back(
          {kernel_.parameters[operand.parameter].name,
           packedBytes(operand, executable_.extentsOf(operand.parameter, dimsOf(run)))});
  expectRoomFor(kernel_, run, !options_.noCheck, executable_.workspaces(dimsOf(run)), packed);
  inputs_ = makeInputs(run);
  makeResults(run);
  arguments_ = {};
  const std::vector<int64_t> dims = dimsOf(run);
  arguments_.dims.assign(dims.begin(), dims.end());
  arguments_.scalars.assign(run.scalars.begin(), run.scalars.end());
  for (const Tensor *input : inputs_)
    arguments_.tensors.push_back(input ? input->data() : nullptr);
  for (Tensor &result : results_)
    arguments_.results.push_back(result.data());
  if (!run.isEmpty())
    packConstants();
}

// Binds constants as they are laid out for the kernel: their time is that of no run.
void CaseRunner::packConstants() {
  const TimedScope timed("pack constants");
  auto packed = mmk::packConstants(executable_, arguments_);
  if (!packed)
    throw UserError(llvm::toString(packed.takeError()));
  packed_ = std::move(*packed);
}

void CaseRunner::poison() {
  for (Tensor &result : results_)
    result.poison();
}

llvm::Error CaseRunner::call(RunWatch *watch) {
  if (run_.isEmpty())
    return runEmptyCall(kernel_,
                        {arguments_.dims, arguments_.scalars, arguments_.tensors,
                         arguments_.results, arguments_.strides},
                        options_.threads);
  return executable_.run(arguments_, options_.threads, watch);
}

double CaseRunner::runOnce(RunWatch *watch) {
  const TimedScope timed("run");
  const Stopwatch stopwatch;
  if (llvm::Error error = call(watch)) {
    const std::string message = llvm::toString(std::move(error));
    if (message.starts_with("not enough memory"))
      throw UserError(message);
    throw Bug(message);
  }
  return stopwatch.milliseconds();
}

std::vector<double> CaseRunner::timeRuns(RunWatch *watch, Progress &progress) {
  std::vector<double> times;
  const int64_t runs = options_.warmup + options_.repeat;
  for (int64_t i = 0; i < runs; ++i) {
    progress.show(fmt::format("{}: run {} of {}", run_.title(), i + 1, runs));
    // A run that skips elements must not inherit the right ones of the previous run.
    poison();
    const double before = executable_.lazyMs();
    double time = runOnce(watch);
    // Lazy compilation is no part of a run's time. A short run is repeated: while one thread
    // compiles, others may work.
    const double compiling = executable_.lazyMs() - before;
    time -= compiling;
    if (compiling > mostCompiling * time && !watch) {
      poison();
      time = runOnce(watch);
    }
    if (i >= options_.warmup)
      times.push_back(time);
  }
  std::ranges::sort(times);
  return times;
}

void CaseRunner::expectAllIntact() const {
  for (size_t i = 0; i < results_.size(); ++i)
    expectIntact(results_[i], kernel_.results[i].name);
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i])
      expectIntact(*inputs_[i], kernel_.parameters[i].name);
}

CheckReport CaseRunner::check() {
  const TimedScope timed("check against the reference");
  expectAllIntact();
  llvm::Expected<ResultCheck> check =
      ResultCheck::create({kernel_, run_.dims, run_.scalars, inputs_}, options_.threads);
  if (!check)
    throw UserError(llvm::toString(check.takeError()));
  CheckReport report;
  for (size_t i = 0; i < results_.size(); ++i)
    report.add(kernel_.results[i].name, check->check(i, results_[i], kernel_.check));
  return report;
}

void CaseRunner::run(CaseReport &report, Progress &progress) {
  const RunCase &run = report.run;
  progress.show(run.title() + ": data");
  prepare(run);

  HostReport &host = report.host.emplace();
  host.threads = options_.threads;
  host.compileMs = executable_.compileMs;
  host.cached = executable_.cached;
  const std::unique_ptr<KernelWatch> watch = makeWatch(run);
  host.runMs = timeRuns(watch.get(), progress);
  host.compileMs += executable_.lazyMs();
  expectAllIntact();
  if (options_.watch)
    report.watch = watch ? watch->report() : WatchReport();
  for (auto [operand, constant] : llvm::zip(executable_.packedOperands(), packed_))
    report.packedBytes[kernel_.parameters[operand.parameter].name] = constant.bytes();
  host.gflops = floatingPointOperations(kernel_, run) / (host.runMs.front() * 1e6);

  if (!options_.noCheck) {
    progress.show(run.title() + ": reference");
    report.check = check();
  }
  // A wrong result is written, too: the file shows what is wrong with it.
  for (size_t i = 0; i < results_.size(); ++i)
    if (const auto file = options_.outputs.find(kernel_.results[i].name);
        file != options_.outputs.end())
      orRefuse(writeNpy(results_[i], file->second));
  for (Tensor &tensor : made_)
    if (tensor.type != ElementType::i32) // what is left: knownElements
      tensor = Tensor();
  results_.clear();
  packed_.clear();
}

std::vector<const int32_t *> CaseRunner::knownElements() const {
  std::vector<const int32_t *> elements;
  for (const Tensor *input : inputs_)
    elements.push_back(input && input->type == ElementType::i32 ? input->as<int32_t>() : nullptr);
  return elements;
}

double floatingPointOperations(const Kernel &kernel, const RunCase &run) {
  double ofProducts = 0, elementwise = 0;
  for (const auto &value : kernel.values) {
    double elements = 1;
    for (int64_t extent : run.extents(value->shape))
      elements *= static_cast<double>(extent);
    if (value->operation == Operation::product)
      ofProducts +=
          2 * elements * static_cast<double>(run.extents(value->operands[0]->shape).back());
    else if (value->operation > Operation::constant && value->operation < Operation::cast)
      elementwise += elements;
  }
  return ofProducts > 0 ? ofProducts : elementwise;
}

} // namespace mmk::driver
