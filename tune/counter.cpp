#include "tune/counter.h"

#include "backend/backend.h"
#include "executable/executable.h"
#include "ir/image_limit.h"
#include "schedule/joined_dimension.h"

#include <algorithm>

namespace mmk::tune {
namespace {

/// Sets the reason and its code: the first error, without its advice. A lowering that failed
/// without an error is a bug, and has no reason.
void setReason(Counted &counted, const Diagnostics &messages) {
  const auto error = std::ranges::find(messages.all(), Severity::error, &Diagnostic::severity);
  counted.reason = error->message.substr(0, error->message.find(';'));
  counted.code = error->code;
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
  measure.least = clock.least;
  for (size_t i = 0; i < allPipes.size(); ++i)
    measure.busyCycles[i] = clock.pipes[i].busyCycles;
}

std::vector<ShapeLimit> limitsOf(aicore::KernelOp kernel) {
  std::vector<ShapeLimit> limits;
  const auto names = llvm::to_vector(kernel.getDims().getAsValueRange<mlir::StringAttr>());
  if (mlir::DictionaryAttr attribute = kernel.getLimitsAttr())
    for (const mlir::NamedAttribute &each : attribute) {
      ShapeLimit &limit = limits.emplace_back();
      limit.most = mlir::cast<mlir::IntegerAttr>(each.getValue()).getInt();
      for (const std::string_view factor : factorsOf(each.getName().getValue()))
        if (int64_t literal = 0; llvm::to_integer(factor, literal))
          limit.most /= literal;
        else
          limit.dimensions.push_back(llvm::find(names, llvm::StringRef(factor)) - names.begin());
    }
  return limits;
}

} // namespace

Counted Counter::count(const Choices &choices, llvm::ArrayRef<Dims> shapes) {
  PipelineOptions options;
  options.choices = choices;
  options.proveSync = false; // thousands are only timed; the winner is compiled with the proof
  Lowering lowering = compiler_.lower(kernel_, ir_->clone(), LoweringLevel::aicore, options,
                                      /*findsNearest=*/false);
  Counted counted;
  if (lowering.isBug) {
    counted.bug = "the passes failed: " + lowering.messages.render();
    return counted;
  }
  if (!lowering) {
    setReason(counted, lowering.messages);
    return counted;
  }
  counted.variant = lowering.variant;
  counted.limits = limitsOf(lowering.kernel());
  const std::vector<aicore::ImageLimit> images = aicore::imageLimits(lowering.kernel());
  const std::vector<MemoryUse> memory = memoryUse(lowering.kernel());
  const Backend &backend = backendOf(machine_.kind);
  for (const Dims &dims : shapes) {
    std::optional<Measure> &slot = counted.measures.emplace_back();
    if (!isWithin(counted.limits, dims) ||
        !aicore::problemOf(images, kernel_.dimensions, dims).empty())
      continue;
    Measure &measure = slot.emplace();
    addMemory(measure, memory);
    if (!backend.hasClock())
      continue;
    llvm::Expected<ClockReport> clock = backend.estimate(lowering.kernel(), machine_, dims);
    if (!clock) {
      counted.bug = llvm::toString(clock.takeError());
      return counted;
    }
    addClock(measure, *clock);
  }
  return counted;
}

} // namespace mmk::tune
