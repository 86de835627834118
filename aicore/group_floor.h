// The least time of a fusion group: what its pipes have to do at the rates of a core's own ports,
// without waits, flags and issuing, and what has to come before and behind it.
#pragma once

#include "aicore/group_time.h"

namespace mmk::aicore {

/// What the bound depends on besides the tiling.
struct FloorOptions {
  bool separate = false; ///< elementwise work is a group of its own
  int64_t cores = 1;     ///< of work without a product; a grid may use fewer for one
};

class GroupFloor {
public:
  GroupFloor(const GroupWork &work, const Machine &machine);

  /// Cycles of the group; `tilings`: one a product, or one without products.
  double cycles(llvm::ArrayRef<GroupTiling> tilings, const FloorOptions &options) const;

private:
  struct Pipes;
  struct TileClass;
  std::vector<TileClass> classesOf(const GroupTiling &tiling) const;
  double panel(const OperandWork &operand, int64_t outer, int64_t bytes, int64_t depth,
               const GroupTiling &tiling, int64_t outerTile) const;
  /// `isOneRound`: no core has two tiles, and memory is cold.
  void addOperands(const TileClass &tile, llvm::ArrayRef<GroupTiling> tilings, bool isOneRound,
                   Pipes &pipes) const;
  void addResult(const TileClass &tile, const GroupTiling &tiling, bool usesVector, bool isSplit,
                 Pipes &pipes) const;
  Pipes behind(const TileClass &least, llvm::ArrayRef<GroupTiling> tilings, bool usesVector) const;
  double product(llvm::ArrayRef<GroupTiling> tilings, const FloorOptions &options) const;
  double sumOfSplits(int64_t splits, int64_t cores, bool separate) const;
  double elementwise(int64_t cores, int64_t readBytes, double tiles) const;
  double elementwiseTiles(const GroupTiling &tiling) const;
  double startup(const char *link) const;
  /// Of so many bytes at a core's own port.
  double atPort(const char *link, double bytes) const;
  /// Cycles until the whole chip has fetched so many bytes.
  double fromMemory(int64_t bytes) const;
  /// Whether products reach the vector cores of a split chip directly.
  bool drainsToUb() const { return isSplitChip() && machine_.has("l0c_ub"); }
  bool isSplitChip() const { return machine_.topology == mmk::Topology::split; }
  int64_t unitsOfCore() const { return isSplitChip() ? machine_.vectorCoresPerCube : 1; }

  const GroupWork &work_;
  const Machine &machine_;
  int64_t readBytes_ = 0, storedBytes_ = 0;
};

} // namespace mmk::aicore
