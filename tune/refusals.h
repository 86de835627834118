// What a machine refuses, from variants that it has refused before.
#pragma once

#include "tune/projection.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

namespace mmk::tune {

/// What lies in a memory follows from some of the directives: L1 holds stages and panels, L0C
/// output tiles, whoever computes them in whatever order. So a variant that overflows a memory says
/// of all that agree with it in these that they do not exist either.
class Refusals {
public:
  explicit Refusals(const Space &space);

  /// Takes note of why a point does not exist: the compiler's message.
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
