// Points that do not fit the machine, from variants that did not fit before.
#pragma once

#include "tune/projection.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

namespace mmk::tune {

/// The contents of a memory depend on some of the directives: L1 holds stages and panels, L0C
/// output tiles, whatever their core and order. So a variant that overflows a memory rules out all
/// variants that agree with it in these directives.
class Refusals {
public:
  explicit Refusals(const Space &space);

  /// Records why a point does not exist: the compiler's message.
  void learn(const Point &point, std::string_view reason);
  bool cover(const Point &point) const;

private:
  struct Sizes {
    explicit Sizes(Projection key) : key(std::move(key)) {}
    Projection key;
    llvm::DenseSet<uint64_t> refused;
  };
  std::map<std::string, Sizes, std::less<>> byMemory_; ///< by the word that its message begins with
};

} // namespace mmk::tune
