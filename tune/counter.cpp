#include "tune/counter.h"

#include "codegen/count.h"
#include "codegen/executable.h"

#include <algorithm>
#include <numeric>

namespace mmk::tune {
namespace {

/// The first error, without what it advises.
std::string firstReason(const Diagnostics &said) {
  for (const Diagnostic &message : said.all())
    if (message.severity == Severity::error)
      return message.message.substr(0, message.message.find(';'));
  return "it cannot be compiled";
}

void addMemory(Measure &measure, const std::vector<MemoryUse> &memory) {
  for (const MemoryUse &use : memory)
    for (size_t i = 0; i < allMemories.size(); ++i)
      if (spelling(allMemories[i]) == use.memory)
        measure.memoryBytes[i] = use.used;
}

void addClock(Measure &measure, const ClockReport &clock) {
  measure.cycles = clock.cycles;
  measure.microseconds = clock.microseconds;
  measure.cores = clock.cores;
  measure.trafficBytes = clock.movedBytes;
  for (size_t i = 0; i < allPipes.size(); ++i)
    measure.busyCycles[i] = clock.pipes[i].busyCycles;
}

} // namespace

int64_t Measure::onChipBytes() const {
  return std::accumulate(memoryBytes.begin(), memoryBytes.end(), int64_t(0));
}

Pipe Measure::bound() const {
  const auto busiest = std::ranges::max_element(busyCycles);
  // As in ClockReport: of equals the cube, else the first.
  constexpr auto cube = static_cast<size_t>(Pipe::cube);
  if (busyCycles[cube] == *busiest)
    return Pipe::cube;
  return allPipes[busiest - busyCycles.begin()];
}

Counted Counter::count(const Choices &choices, llvm::ArrayRef<Dims> shapes) {
  PipelineOptions options;
  options.choices = choices;
  options.proveSync = false; // thousands are only timed; the winner is compiled with the proof
  Lowering lowering = compiler_.lower(kernel_, compiler_.toIr(kernel_), Stage::aicore, options,
                                      /*findsNearest=*/false);
  Counted counted;
  if (lowering.isBug) {
    counted.bug = "the passes failed: " + lowering.said.render();
    return counted;
  }
  if (!lowering) {
    counted.reason = firstReason(lowering.said);
    return counted;
  }
  // For all of the shapes, or for none.
  for (const Dims &dims : shapes)
    if (const std::string problem = lowering.kernel().limitProblem(dims); !problem.empty()) {
      counted.reason = problem.substr(0, problem.find(';'));
      counted.isOfShapes = true;
      return counted;
    }
  counted.variant = lowering.variant;
  const std::vector<MemoryUse> memory = memoryUse(lowering.kernel());
  for (const Dims &dims : shapes) {
    Measure &measure = counted.measures.emplace_back();
    addMemory(measure, memory);
    if (machine_.kind == MachineKind::host)
      continue;
    llvm::Expected<ClockReport> clock = countKernel(lowering.kernel(), machine_, dims);
    if (!clock) {
      counted.bug = llvm::toString(clock.takeError());
      return counted;
    }
    addClock(measure, *clock);
  }
  return counted;
}

std::string Counter::nameOf(const Choices &choices) {
  PipelineOptions options;
  options.choices = choices;
  return compiler_
      .lower(kernel_, compiler_.toIr(kernel_), Stage::mmk, options, /*findsNearest=*/false)
      .variant;
}

} // namespace mmk::tune
