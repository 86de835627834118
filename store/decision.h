// The outcome of a search that decided every point of a space, as plain data. The store keeps it,
// so that no space is searched twice, and a space with one more alternative evaluates the new
// points alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mmk::tune {

/// Of a search for the least time, at some shapes.
struct Decision {
  std::string space; ///< Space::spelling
  /// Points that satisfy the rules of the schedule; among them those that overflow a memory, and
  /// those that cannot win. All others are measured.
  int64_t points = 0, refused = 0, bounded = 0;
  std::vector<uint64_t> measured; ///< their numbers (Subspace), in the order of the search
  struct AtShape {
    int64_t measured = 0; ///< of these points
    int64_t best = 0;     ///< cycles: no correct variant takes fewer
  };
  std::vector<AtShape> shapes;
};

} // namespace mmk::tune
