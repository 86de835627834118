// What is left of a kernel's speed on a machine that has less of something, when the variant is
// chosen anew among those that its schedule lists; and what that machine's roofline allows.
#pragma once

#include "machines/machine.h"

#include "llvm/Support/Error.h"

#include <optional>

namespace mmk::adaptation {

/// A figure of the machine at half of what it is; none: the machine as it is.
struct Change {
  std::string name; ///< "half the rate of GM -> L1"
  std::vector<MachineOverride> overrides;
};
const std::vector<Change> &changes();

struct Shape {
  std::string name;
  int64_t m, n, k;
};
const std::vector<Shape> &shapes();

/// The least cycles that a product of f16 with an epilogue, `f32[M, N]` out, can take: of all tiles
/// that fit the machine's memories, the one whose busiest unit has the least to do.
struct Roofline {
  int64_t cycles = 0;
  std::string bound; ///< "cube", "MTE2", ...
};
Roofline rooflineOf(const Machine &machine, const Shape &shape);

struct Result {
  const Change *change = nullptr;
  const Shape *shape = nullptr;
  std::optional<int64_t> before; ///< cycles of the variant that is best on the whole machine, on
                                 ///< this one; nothing where it does not fit
  int64_t best = 0;              ///< of the best variant on this machine
  std::string variant;           ///< its name
  Roofline roofline;
  double recovered() const { return static_cast<double>(roofline.cycles) / best; }
};

/// Counts variants for each change and shape: from the default on, each directive in turn is given
/// the alternative that is best with the others as they are, until none can be improved. The same
/// on every host; `threads` work on it.
llvm::Expected<std::vector<Result>> adapt(unsigned threads);

} // namespace mmk::adaptation
