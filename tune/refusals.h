// Predicts points that do not fit the machine from variants that did not fit.
#pragma once

#include "support/diagnostics.h"
#include "tune/projection.h"

#include "llvm/ADT/DenseSet.h"

#include <map>
#include <optional>

namespace mmk::tune {

/// The contents of a memory depend on some of the directives: L1 holds stages and panels, L0C
/// output tiles, whatever their core and order. So a variant that overflows a memory rules out all
/// variants that agree with it in these directives.
class Refusals {
public:
  explicit Refusals(const Space &space);

  /// Records the code of the compiler's message on a point that is not legal.
  void learn(const Point &point, DiagnosticCode reason);
  bool cover(const Point &point) const { return reasonFor(point).has_value(); }
  /// Of the memory that a point is known to overflow.
  std::optional<DiagnosticCode> reasonFor(const Point &point) const;

private:
  struct Sizes {
    explicit Sizes(Projection key) : key(std::move(key)) {}
    Projection key;
    llvm::DenseSet<uint64_t> refused;
  };
  std::map<DiagnosticCode, Sizes> byMemory_;
};

} // namespace mmk::tune
