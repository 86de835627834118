// Lower bounds on the time of a variant, from variants that were counted before.
#pragma once

#include "store/result.h"
#include "tune/projection.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace mmk::tune {

/// The work of a pipe depends on some of the directives: the loads into L1 do not depend on the
/// copies in L0, nor the vector cores on the depth of a stage. So one counted variant bounds all
/// variants that agree with it in these directives from below:
/// - the work of each pipe, without flags, of one block;
/// - the time of that block if it waited for data only (LeastTime), where only copies differ;
/// - the time until its last product is done, of one, and the work on its
///   result, of another;
/// - the work of all cores together, distributed evenly to any number of them.
/// The figures depend on the same directives at all shapes, so all shapes are learned together.
/// tests/unit/tune/bounds_test.cpp holds it against the clock.
class Bounds {
public:
  explicit Bounds(const Space &space, size_t shapes = 1);

  /// Records the measure of a point.
  void learn(const Point &point, const std::string &variant, const Measure &measure,
             size_t shape = 0);
  /// The shapes at which the point may take no more cycles than their `limits`.
  std::vector<size_t> within(const Point &point, llvm::ArrayRef<int64_t> limits) const;

  /// The aspects of the point that are unknown at a shape: numbers that it shares with the points
  /// for which counting it bounds the same aspects.
  void appendUnknown(const Point &point, llvm::ArrayRef<size_t> shapes,
                     std::vector<uint64_t> &names) const;

private:
  /// A figure, and the directives that it follows from.
  struct Aspect {
    using Figure = std::function<int64_t(const Measure &)>;
    enum class Use {
      ofAllCores, ///< distributed to the cores
      ofBlock,    ///< of the one that takes longest
      summand     ///< of a block; the sum of these counts
    };

    Aspect(const Space &space, size_t shapes, Use use, Figure figure,
           llvm::function_ref<bool(std::string_view key)> matters);

    void learn(const Point &point, size_t shape, const Measure &measure, bool hasOneTile);

    Use use;
    Figure figure;
    Projection key, withoutMapping;
    /// Rows of `figures`, a figure a shape; by the directives that matter.
    llvm::DenseMap<uint64_t, uint32_t> known;
    /// Where each core has at most one output tile, the order and additional cores have no effect.
    /// Rows by the directives without these: of `figures`, and of how many cores have a tile.
    llvm::DenseMap<uint64_t, uint32_t> ofOneTile;
    std::vector<int64_t> figures, cores;
    size_t shapes;
  };
  /// The known figures of an aspect for a point, at each shape.
  class KnownFigures {
  public:
    KnownFigures(const Aspect &aspect, const Point &point, int64_t cores);
    /// Cycles or work; -1 when nothing is known.
    int64_t at(size_t shape) const;

  private:
    const int64_t *known_ = nullptr, *ofOneTile_ = nullptr, *coresWithTile_ = nullptr;
    int64_t cores_;
  };
  int64_t coresOf(const Point &point) const;

  size_t shapes_;
  std::vector<Aspect> aspects_;
  size_t coresAxis_;
  std::vector<int64_t> cores_; ///< by place on that axis; one number where there is none
};

} // namespace mmk::tune
