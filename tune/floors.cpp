#include "tune/floors.h"

namespace mmk::tune {

// The work is read where everything is fused, from which that of separate groups follows.
Floors::Floors(const Program &program, const Kernel &kernel, const Machine &machine,
               const Space &space, llvm::ArrayRef<Dims> shapes)
    : compiler_(program, machine) {
  PipelineOptions options;
  options.choices = {{"fuse", "all"}};
  fused_ = compiler_.lower(kernel, compiler_.toIr(kernel), LoweringLevel::fused, options,
                           /*findsNearest=*/false);
  if (!fused_)
    return;
  std::vector<VariedDirective> varied;
  for (const Axis &axis : space.axes())
    varied.push_back({axis.key, axis.words});
  const auto group = *fused_.module->getOps<ir::KernelOp>().begin();
  for (const Dims &dims : shapes) {
    auto floor = backendOf(machine.kind).timeFloor(group, machine, dims, varied);
    if (!floor) {
      floors_.clear();
      return;
    }
    floors_.push_back(std::move(floor));
  }
}

} // namespace mmk::tune
