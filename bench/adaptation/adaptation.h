// The speed of a kernel on a machine with one figure halved, when the variant is chosen again among
// those that its schedule lists; and the roofline of that machine.
#pragma once

#include "machines/machine.h"

#include "llvm/Support/Error.h"

#include <optional>

namespace mmk::adaptation {

/// A figure of the machine to halve; none: the machine itself.
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

/// A lower bound, in cycles, of a product of f16 with an epilogue and result `f32[M, N]`: of all
/// tiles that fit the machine's memories, the one whose busiest unit has the least work.
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

/// Counts variants for each change and shape: starting from the default, each directive in turn
/// takes its best alternative with the others fixed, until none improves. The same on every host;
/// uses `threads` threads. Unless `isWhole`, each change is counted at one of the shapes.
llvm::Expected<std::vector<Result>> adapt(unsigned threads, bool isWhole);

} // namespace mmk::adaptation
