// Global memory as the blocks of one phase share it: HBM behind L2, reached through each core's
// own port. All that it does to a transfer belongs here.
#pragma once

#include "runtime/cost.h"

#include <vector>

namespace mmk {

/// What all blocks of a phase together move of one tensor.
struct TensorTraffic {
  int64_t bytes = 0;      ///< of the tensor
  bool workspace = false; ///< made and read by this kernel alone
  int64_t loaded = 0, stored = 0;
  /// Of what is loaded, that L2 does not have; at the least every byte of the tensor once.
  int64_t missed = 0;
};

/// The sharing is static: the same for all transfers of a phase.
///
/// What misses L2 comes from HBM, at an equal share of the chip's rate for each active block (and
/// on vector cores of their block's), from which the time that HBM needs for the stores is taken
/// off. HBM works while the port is busy with rows, so the slower of the two counts. What hits, and
/// what is stored, passes at the rate of the port. All transfers of a tensor are charged the same
/// part of misses. A workspace that fits into L2 never sees HBM.
class GlobalMemory {
public:
  GlobalMemory(const Machine &machine, int64_t activeBlocks, std::vector<TensorTraffic> tensors);

  /// Cost of a load of a tensor, by its rows and its bytes.
  Cost load(const Link &link, size_t tensor, bool onVectorCore) const;
  /// Cost of a store, or of fetching what the same block has just written.
  Cost throughL2(const Link &link) const;

private:
  bool staysInL2(const TensorTraffic &tensor) const;
  /// Bytes of all that is loaded of a tensor that come from HBM.
  int64_t missed(const TensorTraffic &tensor) const;
  double portRate(const Link &link) const;

  const Machine &machine_;
  std::vector<TensorTraffic> tensors_;
  double hbmBytesPerCycle_; ///< of one block, for its loads
};

} // namespace mmk
