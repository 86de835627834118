#include "runtime/global_memory.h"

#include <algorithm>

namespace mmk {

GlobalMemory::GlobalMemory(const Machine &machine, int64_t activeBlocks,
                           std::vector<TensorTraffic> tensors)
    : machine_(machine), tensors_(std::move(tensors)) {
  int64_t loads = 0, stores = 0;
  for (const TensorTraffic &tensor : tensors_) {
    loads += missed(tensor);
    stores += staysInL2(tensor) ? 0 : tensor.stored;
  }
  const double ofLoads = loads > 0 ? static_cast<double>(loads) / (loads + stores) : 1;
  hbmBytesPerCycle_ = ofLoads * machine.hbmBytesPerSecond / (machine.megahertz * 1e6) /
                      std::max<int64_t>(1, activeBlocks);
}

bool GlobalMemory::staysInL2(const TensorTraffic &tensor) const {
  return tensor.workspace && tensor.bytes <= machine_.l2Bytes;
}

int64_t GlobalMemory::missed(const TensorTraffic &tensor) const {
  if (staysInL2(tensor))
    return 0;
  return std::clamp(tensor.missed, std::min(tensor.bytes, tensor.loaded), tensor.loaded);
}

double GlobalMemory::portRate(const Link &link) const {
  return std::min(link.bytesPerCycle, machine_.l2BytesPerCycle);
}

Cost GlobalMemory::load(const Link &link, size_t tensor, bool onVectorCore) const {
  const double port = portRate(link);
  const int64_t sharers = onVectorCore ? machine_.vectorCoresPerCube : 1;
  const double hbm = std::min(port, hbmBytesPerCycle_ / sharers);
  const TensorTraffic &traffic = tensors_[tensor];
  const double misses = static_cast<double>(missed(traffic)) / std::max<int64_t>(1, traffic.loaded);
  return Cost(link.startupCycles, link.rowCycles, 1 / port, {misses, 1 / hbm});
}

Cost GlobalMemory::throughL2(const Link &link) const {
  return Cost(link.startupCycles, link.rowCycles, 1 / portRate(link));
}

} // namespace mmk
