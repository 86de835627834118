// The time of a fusion group in closed form: what each pipe has to do for one output tile, how the
// pipes overlap, and what the cores wait for global memory. It ranks variants; the clock counts the
// best of them.
#pragma once

#include "aicore/group_work.h"
#include "ir/mmk.h"
#include "passes/sizes/numbers.h"
#include "passes/sizes/product_sizes.h"
#include "passes/sizes/tile_order.h"

#include <numeric>
#include <vector>

namespace mmk::aicore {

/// How a group is tiled and mapped. Without a product `rows` and `columns` alone count.
struct GroupTiling : ProductSizes {
  int64_t splits = 1; ///< of the reduction
  int64_t cores = 1;
  int64_t inUb = 2, outOfUb = 2; ///< copies of buffers of elementwise work
  ir::Order order = ir::Order::rows;
  int64_t width = 1; ///< of swizzle
  bool skewed = false, overlapped = false, biasTable = false;
  RowForm form = RowForm::passes; ///< of a row group
  /// Of a row group, the parts of each reduced dimension; empty where rows are whole.
  std::vector<int64_t> parts;
  int64_t resultRows = 1; ///< of a tile of its results, where rows have parts
  int64_t gridRows = 1,
          gridColumns = 1; ///< rectangles of tiles; 1 x 1: tiles, or lines, one by one

  int64_t depthOfSplit(int64_t all) const; ///< of a reduction over `all`
  TileMapping mapping() const;
};

/// Cycles of HBM for what a kernel, or a group of vector work, reads and stores, in bytes.
double ofHbm(const Machine &machine, double read, double stored);

class GroupTime {
public:
  GroupTime(const GroupWork &work, const Machine &machine) : work_(work), machine_(machine) {}

  /// What cores wait for HBM and for lines that several of them read, in cycles a byte of each
  /// operand. It depends on the tile, the stage, the order and the skew.
  struct Waits {
    double a = 0, b = 0;
    double result = 0; ///< of stores that leave with the product
  };
  /// The waits, round by round.
  Waits wait(const GroupTiling &tiling) const;
  /// Cycles of the group; without waits a bound that is cheap to compute.
  double cycles(const GroupTiling &tiling, const Waits &waits) const;

  /// Tiles, and lines of them, which are tiles where no panel is kept.
  struct Tiles {
    int64_t down, across, splits, all, ofCore, depth, stages, rows, columns;
    int64_t lines; ///< of a core
  };
  Tiles tilesOf(const GroupTiling &tiling) const;
  /// Parts of the reduction, which are whole stages.
  int64_t splits(const GroupTiling &tiling) const { return tilesOf(tiling).splits; }
  /// Stages of all tiles, or tiles without a product.
  double steps(const GroupTiling &tiling) const;

private:
  struct Panel;
  struct TileWork;
  static TileLines<Numbers> linesOf(const GroupTiling &tiling, const Tiles &tiles, int64_t core);
  TileOrder<Numbers> orderOf(const GroupTiling &tiling, const Tiles &tiles,
                             const TileLines<Numbers> &lines) const;
  /// A tile of one core.
  struct Place {
    int64_t core, split, batch, row, column;
    bool beginsLine; ///< its panel is loaded, if one is kept
  };
  std::vector<Place> placesOf(const GroupTiling &tiling, const Tiles &tiles, int64_t round) const;
  /// The panels of A and of B for a tile.
  std::pair<Panel, Panel> panelsOf(const GroupTiling &tiling, const Tiles &tiles) const;
  double windowCycles(const Tiles &tiles, double bases) const;
  Panel panelOf(const OperandWork &operand, int64_t outer, int64_t stage, int64_t depth) const;
  TileWork operandWork(const GroupTiling &tiling, const Tiles &tiles, const Waits &waits) const;
  void addResult(const GroupTiling &tiling, const Tiles &tiles, const Waits &waits,
                 TileWork &work) const;
  /// Bytes of rows of a tile as global memory is charged for them; they begin anywhere.
  double charged(double rows, double columns, int64_t bytes) const;
  double product(const GroupTiling &tiling, const Waits &waits) const;
  double sumOfSplits(const Tiles &tiles, const GroupTiling &tiling) const;
  double elementwise(const GroupTiling &tiling) const;
  // row_time.cpp
  struct RowTiles;
  RowTiles rowTiles(const GroupTiling &tiling) const;
  RowTiles partTiles(const GroupTiling &tiling) const;
  RowTiles resultTiles(const GroupTiling &tiling) const;
  double passes(const GroupTiling &tiling, const RowTiles &tiles,
                llvm::function_ref<bool(const RowPass &)> chosen) const;
  double rows(const GroupTiling &tiling) const;
  double rowSteps(const GroupTiling &tiling) const;
  int64_t elementwiseTiles(const GroupTiling &tiling) const;
  /// Of the vector cores, for `elements` of a tile: with the transfers in and out.
  struct VectorWork {
    double elements, rows;
    double inputBytes, storedBytes; ///< of all of them
    double perElement, fixed;
  };
  double vectorTime(const VectorWork &work) const;
  double link(const char *name, double rows, double bytes) const;
  /// Cycles of so many bytes at a rate of the whole chip; 0: it does not limit them.
  double cyclesAt(double bytesPerSecond, double bytes) const {
    return bytesPerSecond > 0 ? bytes * machine_.megahertz * 1e6 / bytesPerSecond : 0;
  }
  static int64_t sum(llvm::ArrayRef<int64_t> bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), int64_t(0));
  }
  int64_t readBytes() const { return sum(work_.reads); }
  int64_t rowBytes() const { return sum(work_.rowReads); }
  int64_t storedBytes() const { return sum(work_.stores); }
  bool isSplitChip() const { return machine_.topology == mmk::Topology::split; }

  const GroupWork &work_;
  const Machine &machine_;
};

} // namespace mmk::aicore
