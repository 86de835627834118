// The results of tuning, as plain data: the search fills them in, the store keeps them, the reports
// read them.
#pragma once

#include "runtime/clock.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mmk::tune {

/// Values of a kernel's dimensions, in its order.
using Dims = std::vector<int64_t>;

/// A variant is legal only for shapes in which the product of these dimensions, by number, is at
/// most this: of one, or of those that it goes along as one.
struct ShapeLimit {
  std::vector<size_t> dimensions;
  int64_t most = 0;
};
bool isWithin(const std::vector<ShapeLimit> &limits, const Dims &dims);

/// The figures of a variant at one shape.
struct Measure {
  int64_t cycles = 0;       ///< on the emulated core; 0 on the host
  double microseconds = 0;  ///< of the kernel alone: counted, or on the host the median of its runs
  int64_t cores = 0;        ///< that had work
  int64_t trafficBytes = 0; ///< between global memory and the cores, as their pipes are charged
  /// Busy cycles by pipe, in the order of `allPipes`: the mean over the cores that had work.
  std::array<int64_t, allPipes.size()> busyCycles{};
  /// Peak bytes of one core in each on-chip memory, in the order of `allMemories`.
  std::array<int64_t, allMemories.size()> memoryBytes{};

  LeastTime least; ///< shared by variants that do the same work

  int64_t onChipBytes() const;
  /// The pipe that was busy longest.
  Pipe bound() const;
};

enum class CheckState { unchecked, passed, failed };

/// The comparison of a variant's results with the reference: small integers, where every order of
/// summation gives the same bits, then the data of the case.
struct Check {
  CheckState state = CheckState::unchecked;
  std::string data; ///< of the failed check: "integers" or "uniform"; else empty
  double errorRatio = 0, maxAbsError = 0;
};

struct VariantResult {
  std::string variant; ///< printable name, an argument of --variant
  Measure measure;
  Check check;
  bool isOnFront = false; ///< no other is better in time, on-chip memory and traffic at once
};

/// The search at one shape.
struct CaseResult {
  std::string name; ///< of the case; empty when the command line alone binds the dimensions
  std::vector<std::pair<std::string, int64_t>> dims; ///< in the order in which they are shown
  std::optional<VariantResult> byDefault; ///< of the schedule; nothing where it is not legal
  std::vector<VariantResult> variants;    ///< the best first
  std::vector<VariantResult> failed;      ///< checked and found wrong, each a bug in mmk
  int64_t merged = 0;                     ///< variants equal to another but for cores without work
};

struct TuneResult {
  std::string kernel, machine;
  std::vector<CaseResult> cases;
  double space = 0; ///< points of the schedule's alternatives, legal or not
  bool isExhaustive = false;
  bool isInterrupted = false;
  int64_t counted = 0;    ///< variants compiled and counted now
  int64_t remembered = 0; ///< known from earlier runs
  int64_t refused = 0;    ///< that do not fit the machine
  int64_t points = 0;  ///< that satisfy the rules of the schedule, if all were enumerated; else 0
  int64_t bounded = 0; ///< of these not counted: they cannot be the best, see Bounds
  int64_t decidedBefore = 0; ///< points of which an earlier search had decided all
  double seconds = 0;
};

} // namespace mmk::tune
