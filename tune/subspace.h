// A subspace of another space of the same kernel, for example that of a file before alternatives
// were added.
#pragma once

#include "tune/space.h"

namespace mmk::tune {

/// The points of a space that are also in a smaller one. They are numbered independently of the
/// order of alternatives and directives in the file.
class Subspace {
public:
  /// Nothing where the space of that spelling has other directives, alternatives that `space`
  /// lacks, or other rules.
  static std::optional<Subspace> of(const Space &space, std::string_view spelling);

  /// The whole space.
  static Subspace all(const Space &space);

  bool covers(const Point &point) const;
  /// Whether it is the whole space.
  bool isAll() const;
  /// The number of a point in the subspace.
  uint64_t numberOf(const Point &point) const;
  /// Nothing if the number is too large.
  std::optional<Point> at(uint64_t number) const;

private:
  struct Side {
    size_t axis;                    ///< of the space
    std::vector<uint16_t> places;   ///< on that axis
    std::vector<int32_t> placeHere; ///< by place on that axis: in `places`; -1 where it is not
  };
  std::vector<Side> sides_; ///< by key
};

} // namespace mmk::tune
