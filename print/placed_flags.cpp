#include "print/placed_flags.h"

#include "sync/verify_sync_model.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

std::string between(aicore::Pipe from, aicore::Pipe to) {
  return fmt::format("{} -> {}", stringifyPipe(from).str(), stringifyPipe(to).str());
}

std::string betweenCores(bool toCube) {
  return toCube ? "vector cores -> cube core" : "cube core -> vector cores";
}

} // namespace

PlacedFlags placedFlags(aicore::KernelOp kernel) {
  PlacedFlags placed;
  const auto pipes = [](auto op) { return between(op.getFrom(), op.getTo()); };
  kernel.walk([&](mlir::Operation *op) {
    if (auto set = mlir::dyn_cast<aicore::SetFlagOp>(op))
      ++placed[pipes(set)];
    else if (auto wait = mlir::dyn_cast<aicore::WaitFlagOp>(op))
      ++placed[pipes(wait)];
    else if (auto set = mlir::dyn_cast<aicore::SetCrossOp>(op))
      ++placed[betweenCores(set.getUnit() == aicore::Unit::cube_core)];
    else if (auto wait = mlir::dyn_cast<aicore::WaitCrossOp>(op))
      ++placed[betweenCores(wait.getUnit() == aicore::Unit::vector_core)];
    else if (auto barrier = mlir::dyn_cast<aicore::BarrierOp>(op))
      ++placed[fmt::format("barrier of {}", barrier.getPipe()
                                                ? stringifyPipe(*barrier.getPipe()).str()
                                                : "all pipes")];
  });
  return placed;
}

TakenEvents takenEvents(aicore::KernelOp kernel) {
  TakenEvents taken;
  for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>()) {
    const std::optional<sync::PhaseModel> program = sync::PhaseModel::read(phase);
    if (!program)
      continue; // its errors were reported by the proof
    // The events of the cube core and of the vector cores are not the same.
    std::map<std::pair<aicore::Unit, std::string>, int64_t> ofPhase;
    for (const sync::Flag &flag : program->flags) {
      const sync::PipeOf from = program->pipes[flag.from];
      ++ofPhase[{from.unit, flag.isCross ? betweenCores(flag.toCube)
                                         : between(from.pipe, program->pipes[flag.to].pipe)}];
    }
    for (const auto &[where, count] : ofPhase)
      taken[where.second] = std::max(taken[where.second], count);
  }
  return taken;
}

} // namespace mmk::driver
