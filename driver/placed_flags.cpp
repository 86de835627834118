#include "driver/placed_flags.h"

#include <fmt/format.h>

namespace mmk::driver {

PlacedFlags placedFlags(aicore::KernelOp kernel) {
  PlacedFlags placed;
  const auto pipes = [](auto op) {
    return fmt::format("{} -> {}", stringifyPipe(op.getFrom()).str(),
                       stringifyPipe(op.getTo()).str());
  };
  const auto cores = [](bool toCube) {
    return toCube ? "vector cores -> cube core" : "cube core -> vector cores";
  };
  kernel.walk([&](mlir::Operation *op) {
    if (auto set = mlir::dyn_cast<aicore::SetFlagOp>(op))
      ++placed[pipes(set)];
    else if (auto wait = mlir::dyn_cast<aicore::WaitFlagOp>(op))
      ++placed[pipes(wait)];
    else if (auto set = mlir::dyn_cast<aicore::SetCrossOp>(op))
      ++placed[cores(set.getUnit() == aicore::Unit::cube_core)];
    else if (auto wait = mlir::dyn_cast<aicore::WaitCrossOp>(op))
      ++placed[cores(wait.getUnit() == aicore::Unit::vector_core)];
    else if (auto barrier = mlir::dyn_cast<aicore::BarrierOp>(op))
      ++placed[fmt::format("barrier of {}", barrier.getPipe()
                                                ? stringifyPipe(*barrier.getPipe()).str()
                                                : "all pipes")];
  });
  return placed;
}

} // namespace mmk::driver
