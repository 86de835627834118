#include "tests/hunt/trial.h"

#include "compiler/compiler.h"
#include "compiler/in_place.h"
#include "count/count.h"
#include "executable/executable.h"
#include "frontend/compile.h"
#include "frontend/schedule.h"
#include "frontend/whole.h"
#include "reference/check.h"
#include "reference/empty_call.h"
#include "runtime/global_memory.h"
#include "runtime/npy.h"
#include "sync/verify_sync_explorer.h"
#include "sync/verify_sync_model.h"
#include "tests/hunt/data.h"
#include "tests/hunt/guarded.h"
#include "tests/hunt/object.h"
#include "watch/watch.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace mmk::hunt {
namespace {

/// What ends a trial.
struct Failure {
  std::string property, message;
};

void expect(bool holds, const char *property, const std::string &message) {
  if (!holds)
    throw Failure{property, message};
}

template <typename T> T expected(llvm::Expected<T> value, const char *property) {
  expect(bool(value), property, value ? "" : llvm::toString(value.takeError()));
  return std::move(*value);
}

/// The two computations of a clock's total: repetitions timed once, and every event.
struct LastEvent : EventSink {
  void see(const Event &event) override { end = std::max(end, event.end); }
  int64_t end = 0;
};

bool isFlag(mlir::Operation *op) {
  return llvm::isa<aicore::SetFlagOp, aicore::WaitFlagOp, aicore::SetCrossOp, aicore::WaitCrossOp>(
      op);
}

int64_t extentOf(const std::string &dim, const Sample &sample) {
  for (const auto &[name, extent] : sample.dims)
    if (name == dim)
      return extent;
  return 1;
}

/// Of a literal one nothing.
std::vector<std::string> namesOf(const Shape &shape) {
  std::vector<std::string> names;
  for (const Dimension &each : shape)
    names.push_back(each.name);
  return names;
}

std::vector<int64_t> concrete(const Shape &shape, const Sample &sample) {
  std::vector<int64_t> extents;
  for (const Dimension &dimension : shape)
    extents.push_back(dimension.isLiteral() ? dimension.literal : extentOf(dimension.name, sample));
  return extents;
}

class Trial {
public:
  Trial(const Sample &sample, Tally &tally) : sample_(sample), tally_(tally) {}

  Outcome run() {
    try {
      parse();
      makeData();
      machine_ = expected(loadMachine(sample_.machine, sample_.overrides), "the machine loads");
      Choices choices = sample_.choices;
      if (!onMachine(machine_, choices, true))
        return {Outcome::What::refused, "", refusal_};
      if (sample_.also.separate)
        otherEpilogue(choices);
      if (sample_.also.host)
        onHost(choices);
      emptyCalls();
      return {};
    } catch (const Failure &failure) {
      return {Outcome::What::failed, failure.property, failure.message};
    }
  }

private:
  //--- before anything is compiled --------------------------------------------------------------

  void parse() {
    Diagnostics diagnostics;
    auto program = checkProgram("sample.mmk", text(sample_.kernel), diagnostics, wrongFile_);
    expect(program.has_value(), "the text is right", diagnostics.render());
    program_ = std::move(*program);
  }
  const Kernel &kernel() const { return *program_.kernels[0]; }

  std::vector<int64_t> extentsOf(const Shape &shape) const { return concrete(shape, sample_); }

  void makeData() {
    for (const std::string &dim : kernel().boundDimensions())
      byName_[dim] = extentOf(dim, sample_);
    const std::string wrong = completeDimensions(kernel(), byName_);
    expect(wrong.empty(), "the dimensions keep to the conditions", wrong);
    for (const std::string &dim : kernel().dimensions)
      dims_.push_back(byName_.at(dim));
    const auto page = sample_.lowPages ? Guarded::Page::before : Guarded::Page::behind;
    inputs_.reserve(kernel().parameters.size());
    for (size_t i = 0; i < kernel().parameters.size(); ++i) {
      const Parameter &parameter = kernel().parameters[i];
      scalars_.push_back(parameter.byDefault.value_or(0));
      tensors_.push_back(nullptr);
      if (parameter.isScalar())
        continue;
      inputs_.push_back(
          llvm::cantFail(Tensor::allocate(parameter.type, extentsOf(parameter.shape))));
      fill(inputs_.back(), namesOf(parameter.shape), sample_, i);
      tensors_.back() = &inputs_.back();
    }
    for (const Tensor *tensor : tensors_) {
      if (tensor)
        guarded_.emplace_back(*tensor, page);
      pointers_.push_back(tensor ? guarded_.back().data() : nullptr);
    }
    for (const Result &result : kernel().results)
      results_.emplace_back(result.type, extentsOf(result.shape), page);
    check_.emplace(expected(ResultCheck::create({kernel(), byName_, scalars_, tensors_}, 1),
                            "the reference has a value"));
  }

  //--- variants ---------------------------------------------------------------------------------

  Lowering lower(const Machine &machine, const Choices &choices) {
    compiler_.emplace(program_, machine);
    PipelineOptions options;
    options.choices = choices;
    Lowering lowering =
        compiler_->lower(kernel(), compiler_->toIr(kernel()), LoweringLevel::aicore, options);
    expect(!lowering.isBug, "the compiler finds no fault in itself", lowering.messages.render());
    if (!lowering) {
      refusal_ = lowering.messages.render();
      expect(!refusal_.empty(), "a refusal has a reason", "");
    } else if (std::string problem = lowering.kernel().limitProblem(dims_); !problem.empty()) {
      // A variant that is legal, but not at these dimensions.
      refusal_ = std::move(problem);
      return {};
    }
    return lowering;
  }

  /// The variant, or one that fits the machine: the one that the refusal names, else with fewer of
  /// the choices.
  Lowering lowerWhatFits(const Machine &machine, Choices &choices) {
    Lowering lowering = lower(machine, choices);
    if (lowering)
      return lowering;
    if (lowering.nearest) {
      choices.insert(choices.end(), lowering.nearest->begin(), lowering.nearest->end());
      lowering = lower(machine, choices);
      expect(lowering || refusal_.find("this variant") != std::string::npos,
             "the nearest legal variant is legal", mmk::spelling(choices) + "\n" + refusal_);
    }
    while (!lowering && !choices.empty()) {
      choices.pop_back();
      lowering = lower(machine, choices);
    }
    return lowering;
  }

  /// Tests all properties on a machine; false: no variant fits it.
  bool onMachine(const Machine &machine, Choices &choices, bool isMain) {
    Lowering lowering = lowerWhatFits(machine, choices);
    if (!lowering)
      return false;
    where_ = machine.name + " " + lowering.variant;
    auto executable = compute(*lowering.module, machine);
    inPlace(lowering, *executable, machine, choices);
    if (sample_.also.object && isMain)
      objectAgrees(lowering, machine);
    if (machine.kind == MachineKind::emulated)
      waitsForMemory(lowering.kernel(), machine, clocksAgree(lowering.kernel(), machine));
    watch(lowering, machine, sample_.also.watched && isMain);
    if (sample_.also.mutant && isMain && machine.kind == MachineKind::emulated)
      mutate(lowering.kernel(), machine);
    return true;
  }

  void otherEpilogue(Choices choices) {
    std::string message;
    const bool isSeparate = where_.find("fuse=none") != std::string::npos;
    const char *other = isSeparate ? "all" : "none";
    if (!checkChoice(kernel(), nullptr, "fuse", other, message))
      return;
    std::erase_if(choices, [](const auto &choice) { return choice.first == "fuse"; });
    choices.insert(choices.begin(), {"fuse", other});
    onMachine(machine_, choices, false);
  }

  /// How many cores this computer has is no part of the sample, and it has neither an L1 of its own
  /// nor a bias table, nor vector cores that take rows from a cube.
  void onHost(Choices choices) {
    std::erase_if(choices, [](const auto &choice) {
      const std::string &key = choice.first;
      return key == "cores" || key.starts_with("grid.") || key == "keep" || key == "bias" ||
             key == "skew" || choice == std::pair<std::string, std::string>("fuse", "rows");
    });
    const Machine host = expected(loadMachine("host"), "the machine loads");
    onMachine(host, choices, false);
  }

  //--- computing --------------------------------------------------------------------------------

  Arguments arguments() {
    Arguments all;
    all.dims.assign(dims_.begin(), dims_.end());
    all.scalars.assign(scalars_.begin(), scalars_.end());
    all.tensors.assign(pointers_.begin(), pointers_.end());
    for (Guarded &result : results_) {
      result.poison();
      all.results.push_back(result.data());
    }
    return all;
  }

  Tensor copyOf(size_t result) const {
    const Tensor &expected = check_->expected(result);
    Tensor copy = llvm::cantFail(Tensor::allocate(expected.type, expected.shape));
    std::memcpy(copy.data(), results_[result].data(), copy.bytes());
    return copy;
  }

  /// By the rule of the kernel, as `mmk run` has it.
  void agreesByRule(size_t result, const char *property) {
    const Comparison found = check_->check(result, copyOf(result), kernel().check);
    if (found.passed)
      return;
    const bool isWrong = found.wrong > 0;
    throw Failure{
        property,
        fmt::format("{}: {}[{}]: got {}, the reference has {}, rounding explains {}; {} of {} "
                    "elements are wrong, {} of a sample of {} unexplained",
                    where_, kernel().results[result].name,
                    fmt::join(isWrong ? found.firstWrong : found.firstUnexplained, ", "),
                    isWrong ? found.firstGot : found.unexplainedGot,
                    isWrong ? found.firstExpected : found.unexplainedExpected,
                    isWrong ? found.firstRounding : found.unexplainedRounding, found.wrong,
                    found.elements, found.unexplained, found.sampled)};
  }

  void resultsAgree(const char *property) {
    for (size_t i = 0; i < results_.size(); ++i) {
      if (sample_.isRounded) {
        agreesByRule(i, property);
        continue;
      }
      const Tensor &expected = check_->expected(i);
      const int64_t where = results_[i].firstDifference(expected.data(), sample_.errors.at(i));
      if (where >= 0)
        throw Failure{property,
                      fmt::format("{}: {}, element {}: got {}, the reference has {}{}", where_,
                                  kernel().results[i].name, where, results_[i][where],
                                  expected[where],
                                  sample_.errors[i] == 0
                                      ? ""
                                      : fmt::format(", may differ by {}", sample_.errors[i]))};
    }
  }

  void runs(llvm::Error error) {
    expect(!error, "the program runs", where_ + ": " + llvm::toString(std::move(error)));
  }

  std::unique_ptr<Executable> compile(mlir::ModuleOp module, const Machine &machine, bool watched) {
    ++tally_.programs;
    return expected(Executable::compile(module, machine, {"", watched, sample_.quick}),
                    "the variant compiles");
  }

  /// Of several NaNs that meet in a sum a CPU keeps one by the order of its operands.
  static bool isSame(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) ||
           std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
  }

  std::unique_ptr<Executable> compute(mlir::ModuleOp module, const Machine &machine) {
    auto executable = compile(module, machine, /*watched=*/false);
    runs(executable->run(arguments(), 1));
    resultsAgree("the result is the reference's");
    std::vector<Tensor> first;
    for (size_t i = 0; i < results_.size(); ++i)
      first.push_back(copyOf(i));
    runs(executable->run(arguments(), sample_.threads));
    // The host adds in the order that suits the number of threads.
    if (sample_.isRounded && machine.kind != MachineKind::emulated) {
      resultsAgree("the result of several threads is the reference's");
      return executable;
    }
    for (size_t i = 0; i < results_.size(); ++i)
      for (int64_t at = 0; at < first[i].elements(); ++at)
        if (!isSame(first[i][at], results_[i][at]))
          throw Failure{"threads change nothing",
                        fmt::format("{}: {}, element {} on {} threads", where_,
                                    kernel().results[i].name, at, sample_.threads)};
    return executable;
  }

  /// Each result in the memory of each parameter for which that is allowed.
  void inPlace(Lowering &lowering, Executable &executable, const Machine &machine,
               const Choices &choices) {
    Lowering tiled;
    for (size_t p = 0; p < tensors_.size(); ++p)
      for (size_t r = 0; r < results_.size(); ++r) {
        const Tensor &result = check_->expected(r);
        if (!tensors_[p] || tensors_[p]->shape != result.shape ||
            tensors_[p]->bytes() != result.bytes())
          continue;
        if (!tiled)
          tiled = lowerToTiles(choices);
        if (tiled.variant == lowering.variant &&
            whyNotInPlace(*tiled.module->getOps<ir::KernelOp>().begin(), lowering.kernel(),
                          backendOf(machine.kind), p, r)
                .empty())
          runsInPlace(executable, p, r);
      }
  }

  Lowering lowerToTiles(const Choices &choices) {
    PipelineOptions options;
    options.choices = choices;
    return compiler_->lower(kernel(), compiler_->toIr(kernel()), LoweringLevel::tiled, options);
  }

  void runsInPlace(Executable &executable, size_t parameter, size_t result) {
    ++tally_.inPlace;
    runs(executable.run(arguments(), 1));
    const Tensor own = copyOf(result);
    for (unsigned threads : {1u, sample_.threads}) {
      Arguments all = arguments();
      std::memcpy(results_[result].data(), tensors_[parameter]->data(), own.bytes());
      all.tensors[parameter] = results_[result].data();
      runs(executable.run(all, threads));
      if (threads > 1 && sample_.isRounded)
        break; // in another order, maybe
      for (int64_t at = 0; at < own.elements(); ++at)
        if (!isSame(own[at], results_[result][at]))
          throw Failure{"a result may be in place",
                        fmt::format("{}: {} in the memory of {}, element {}: got {}, expected {}",
                                    where_, kernel().results[result].name,
                                    kernel().parameters[parameter].name, at, results_[result][at],
                                    own[at])};
    }
  }

  /// Each dimension as 0, where the kernel has a value then.
  void emptyCalls() {
    for (const std::string &dim : kernel().boundDimensions()) {
      std::map<std::string, int64_t> byName;
      for (const std::string &each : kernel().boundDimensions())
        byName[each] = each == dim ? 0 : byName_.at(each);
      if (!completeDimensions(kernel(), byName).empty())
        continue;
      std::vector<int64_t> dims;
      for (const std::string &each : kernel().dimensions)
        dims.push_back(byName.at(each));
      const auto guarded = [&](ElementType type, const Shape &shape) {
        std::vector<int64_t> extents;
        for (const Dimension &each : shape)
          extents.push_back(each.isLiteral() ? each.literal : byName.at(each.name));
        return Guarded(type, extents, Guarded::Page::behind);
      };
      std::vector<Guarded> memory;
      std::vector<const void *> tensors;
      std::vector<void *> results;
      for (const Parameter &parameter : kernel().parameters) {
        tensors.push_back(nullptr);
        if (!parameter.isScalar())
          tensors.back() = memory.emplace_back(guarded(parameter.type, parameter.shape)).data();
      }
      for (const Result &result : kernel().results)
        results.push_back(memory.emplace_back(guarded(result.type, result.shape)).data());
      runs(runEmptyCall(kernel(), {dims, scalars_, tensors, results, {}}, sample_.threads));
    }
  }

  void objectAgrees(Lowering &lowering, const Machine &machine) {
    runs(runObject(*lowering.module, machine, arguments()));
    resultsAgree("the object's result is the reference's");
  }

  //--- time and order ---------------------------------------------------------------------------

  /// What bounds of loops are read from.
  std::vector<KnownParameter> knownParameters() {
    std::vector<KnownParameter> known;
    for (auto [i, parameter] : llvm::enumerate(kernel().parameters)) {
      KnownParameter &it = known.emplace_back();
      if (parameter.type != ElementType::i32)
        continue;
      if (parameter.isScalar())
        it.scalar = static_cast<int32_t>(scalars_[i]);
      else
        it.elements = static_cast<const int32_t *>(pointers_[i]);
    }
    return known;
  }

  /// The cycles without what parameters have.
  int64_t clocksAgree(aicore::KernelOp kernel, const Machine &machine) {
    const std::vector<KnownParameter> known = knownParameters();
    clocksAgree(kernel, machine, Call{dims_, known});
    return clocksAgree(kernel, machine, Call{dims_, {}});
  }

  int64_t clocksAgree(aicore::KernelOp kernel, const Machine &machine, const Call &call) {
    const ClockReport repeated =
        expected(countCall(kernel, machine, call), "the variant can be counted");
    LastEvent events;
    const ClockReport everyEvent =
        expected(countCall(kernel, machine, call, &events), "the variant can be counted");
    expect(repeated.cycles == everyEvent.cycles &&
               everyEvent.cycles == events.end + everyEvent.taskCycles,
           "counting and its events agree",
           fmt::format("{}: {} cycles counted, {} with events, the last at {}", where_,
                       repeated.cycles, everyEvent.cycles, events.end));
    for (size_t pipe = 0; pipe < allPipes.size(); ++pipe)
      expect(repeated.pipes[pipe].busyCycles == everyEvent.pipes[pipe].busyCycles,
             "counting and its events agree",
             fmt::format("{}: {} is busy for {} cycles, or {}", where_, spelling(allPipes[pipe]),
                         repeated.pipes[pipe].busyCycles, everyEvent.pipes[pipe].busyCycles));
    return repeated.cycles;
  }

  /// Whether every schedule reads all elements of what it reads.
  bool readsAll() const {
    return std::ranges::none_of(kernel().values, [](const auto &value) {
      return value->operation == Operation::access || value->operation == Operation::position ||
             (value->operation == Operation::product && value->operands.size() > 2);
    });
  }

  /// On a machine with so slow an HBM, and so small an L2, that nothing else takes longer: not less
  /// than all bytes, nor than the cycles `before` on the machine as it is.
  void waitsForMemory(aicore::KernelOp kernel, Machine machine, int64_t before) {
    double loaded = 0, stored = 0;
    for (auto [i, tensor] : llvm::enumerate(tensors_))
      if (readsAll() && tensor &&
          !kernel.getBody().getArgument(kernel.getDims().size() + i).use_empty())
        loaded += static_cast<double>(tensor->bytes());
    for (size_t i = 0; i < results_.size(); ++i)
      stored += static_cast<double>(check_->expected(i).bytes());
    constexpr double slower = 1000;
    machine.hbmBytesPerSecond /= slower;
    machine.hbmWriteBytesPerSecond /= slower;
    machine.l2Bytes = std::max<int64_t>(1, static_cast<int64_t>(loaded + stored) / 4);
    const ClockReport report =
        expected(countCall(kernel, machine, {dims_, {}}), "the variant can be counted");
    const double least = hbmCycles(machine, loaded, stored);
    expect(static_cast<double>(report.cycles - report.taskCycles) >= least,
           "no kernel is faster than its bytes",
           fmt::format("{}: {} cycles of the {} that HBM takes", where_,
                       report.cycles - report.taskCycles, least));
    expect(report.cycles >= before, "a slower memory makes nothing faster",
           fmt::format("{}: {} cycles before, {} after", where_, before, report.cycles));
  }

  void isQuiet(const WatchReport &report) {
    if (!report.faults.empty())
      throw Failure{"the watcher finds nothing", where_ + ": " + report.faults[0].message};
  }

  void watch(Lowering &lowering, const Machine &machine, bool runs) {
    isQuiet(expected(watchKernel(lowering.kernel(), machine, dims_), "the variant can be watched"));
    const std::vector<KnownParameter> known = knownParameters();
    const WatchReport interpreted = expected(watchCall(lowering.kernel(), machine, {dims_, known}),
                                             "the variant can be watched");
    isQuiet(interpreted);
    if (!runs)
      return;
    auto executable = compile(*lowering.module, machine, /*watched=*/true);
    auto watch = expected(KernelWatch::create(lowering.kernel(), machine, dims_),
                          "the variant can be watched");
    this->runs(executable->run(arguments(), sample_.threads, watch.get()));
    isQuiet(watch->report());
    resultsAgree("the watched result is the reference's");
    expect(watch->report().accesses == interpreted.accesses &&
               watch->report().flags == interpreted.flags,
           "a watched run agrees with the interpreter",
           fmt::format("{}: {} accesses and {} flags ran, {} and {} were interpreted", where_,
                       watch->report().accesses, watch->report().flags, interpreted.accesses,
                       interpreted.flags));
  }

  bool isProven(aicore::KernelOp kernel) {
    mlir::ScopedDiagnosticHandler quiet(kernel.getContext(),
                                        [](mlir::Diagnostic &) { return mlir::success(); });
    for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>()) {
      std::optional<sync::PhaseModel> program = sync::PhaseModel::read(phase);
      if (!program || sync::findFault(*program))
        return false;
    }
    return true;
  }

  /// Without one of its flags: a mutant with a hazard at these dimensions must be refused by the
  /// proof.
  void mutate(aicore::KernelOp kernel, const Machine &machine) {
    std::vector<mlir::Operation *> flags;
    kernel.walk([&](mlir::Operation *op) {
      if (isFlag(op))
        flags.push_back(op);
    });
    if (flags.empty())
      return;
    Random random(sample_.seed ^ 0xF1A6, sample_.number);
    flags[random.below(static_cast<int64_t>(flags.size()))]->erase();
    ++tally_.mutants;
    const WatchReport report =
        expected(watchKernel(kernel, machine, dims_), "the variant can be watched");
    if (report.faults.empty())
      return;
    ++tally_.mutantsSeen;
    expect(!isProven(kernel), "what the watcher sees to break is not proven",
           where_ + ": " + report.faults[0].message);
  }

  const Sample &sample_;
  Tally &tally_;
  std::unique_ptr<SourceFile> wrongFile_;
  Program program_;
  Machine machine_;
  std::optional<Compiler> compiler_;
  std::vector<int64_t> dims_;
  std::vector<double> scalars_;
  std::map<std::string, int64_t> byName_;
  std::vector<Tensor> inputs_;
  std::vector<const Tensor *> tensors_;
  std::vector<Guarded> guarded_, results_;
  std::vector<const void *> pointers_;
  std::optional<ResultCheck> check_;
  std::string where_, refusal_;
};

} // namespace

Outcome attempt(const Sample &sample, Tally &tally) {
  ++tally.samples;
  Outcome outcome = Trial(sample, tally).run();
  tally.refused += outcome.what == Outcome::What::refused;
  return outcome;
}

std::vector<std::string> saveInputs(const Sample &sample, const std::string &folder) {
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  const auto program = checkProgram("sample.mmk", text(sample.kernel), diagnostics, file);
  std::vector<std::string> saved;
  for (size_t i = 0; program && i < program->kernels[0]->parameters.size(); ++i) {
    const Parameter &parameter = program->kernels[0]->parameters[i];
    if (parameter.isScalar())
      continue;
    Tensor tensor =
        llvm::cantFail(Tensor::allocate(parameter.type, concrete(parameter.shape, sample)));
    fill(tensor, namesOf(parameter.shape), sample, i);
    const std::string path = fmt::format("{}/{}.npy", folder, parameter.name);
    if (llvm::Error error = writeNpy(tensor, path))
      llvm::consumeError(std::move(error));
    saved.push_back(fmt::format("{}={}", parameter.name, path));
  }
  return saved;
}

} // namespace mmk::hunt
