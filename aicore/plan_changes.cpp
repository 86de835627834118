// The changes of a plan that a descent tries. The closed form of a plan's time is cheap, so that
// these are many, also such as the enumeration of tiles leaves out.
#include "aicore/plan.h"
#include "schedule/directive.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace mmk::aicore {
namespace {

/// Lengths near one, and the whole extent.
std::vector<int64_t> lengthsAround(int64_t length, int64_t unit, int64_t most) {
  std::vector<int64_t> lengths;
  for (int64_t each : {length / 2, length * 2 / 3, length - unit, length + unit, length * 3 / 2,
                       length * 2, most}) {
    const int64_t fitted = std::clamp<int64_t>(llvm::alignTo(std::max<int64_t>(each, 1), unit),
                                               unit, llvm::alignTo(most, unit));
    if (fitted != length && std::ranges::find(lengths, fitted) == lengths.end())
      lengths.push_back(fitted);
  }
  return lengths;
}

} // namespace

void PlanSpace::fitDepths(Plan &plan) const {
  for (const Group &group : groups_)
    for (const ProductDims &dims : group.products) {
      if (!dims.depth || dims.image)
        continue;
      Plan::Dimension &depth = plan.dims[*dims.depth];
      if (!dims.depthIsOutput && dims_[*dims.depth].tile == 0)
        depth.tile = std::max(dims.unit,
                              std::min(depth.tile, mostDepth(plan, dims)) / dims.unit * dims.unit);
      const int64_t step = stepOfStage(plan, dims);
      if (dims_[*dims.depth].stage == 0)
        depth.stage = std::max(step, std::min(depth.stage, mostStage(plan, dims)) / step * step);
    }
}

/// The plans that differ a little from one.
class PlanSpace::Changes {
public:
  Changes(const PlanSpace &space, const Plan &plan) : space_(space), plan_(plan) {
    // Of a grid of cores, each has tiles of the whole reduction.
    hasGrid_ = std::ranges::any_of(space.groups_, [&](const Group &group) {
      const GroupTiling tiling = space.tilingOf(plan, group);
      return tiling.gridRows * tiling.gridColumns > 1;
    });
  }

  /// With rows for columns, and the reverse.
  std::vector<Plan> exchanges() {
    for (const Group &group : space_.groups_)
      if (!group.products.empty()) {
        const Number row = group.products.front().row, column = group.products.front().column;
        if (isOpenTile(row) && isOpenTile(column)) {
          exchangeTiles(*row, *column);
          exchangeTiles(*column, *row);
        }
      }
    return std::move(changes_);
  }

  std::vector<Plan> all() {
    const bool hasProduct = space_.hasProduct();
    for (const Group &group : space_.groups_)
      if (!group.products.empty()) {
        product(group);
      } else if (!hasProduct) {
        tiles(group.row, group.work.rows);
        tiles(group.column, group.work.columns);
      }
    if (hasProduct && !space_.isFixed("buffers.l0"))
      copies(&PlanCopies::l0);
    if (!hasProduct && !space_.isFixed("buffers.ub"))
      copies(&PlanCopies::ub);
    if (hasProduct && space_.machine_.topology == mmk::Topology::split &&
        !space_.isFixed("buffers.out"))
      add([&](Plan &trial) { trial.copies.out = plan_.copies.out == 2 ? 3 : 2; });
    words();
    return std::move(changes_);
  }

private:
  template <typename Change> void add(Change change) {
    Plan trial = plan_;
    change(trial);
    space_.fitDepths(trial);
    changes_.push_back(std::move(trial));
  }

  const Fixed &fixed(Number dim) const { return space_.dims_[*dim]; }
  bool isOpenTile(Number dim) const {
    return dim && fixed(dim).tile == 0 && !fixed(dim).fitsTile && plan_.dims[*dim].tile > 0;
  }
  bool isOpenStage(const ProductDims &dims) const {
    return dims.depth && fixed(dims.depth).stage == 0;
  }
  bool isOpenDepth(const ProductDims &dims) const {
    return isOpenTile(dims.depth) && !dims.depthIsOutput;
  }
  bool hasOpenSplits(const ProductDims &dims) const {
    return dims.depth && !dims.depthIsOutput && fixed(dims.depth).splits == 0 && !hasGrid_;
  }

  int64_t longest(size_t dim) const {
    const int64_t extent = llvm::alignTo(space_.dims_[dim].extent, space_.dims_[dim].unit);
    return std::min(extent, maximumTile);
  }

  void tiles(Number dim, int64_t extent) {
    if (isOpenTile(dim))
      for (int64_t tile : lengthsAround(plan_.dims[*dim].tile, fixed(dim).unit,
                                        std::min<int64_t>(extent, maximumTile)))
        add([&](Plan &trial) { trial.dims[*dim].tile = tile; });
  }

  void product(const Group &group) {
    const Number row = group.products.front().row, column = group.products.front().column;
    tiles(row, group.work.products.front().rows);
    tiles(column, group.work.products.front().columns);
    for (const Number dim : {row, column})
      if (isOpenTile(dim))
        add([&](Plan &trial) { // fewer tiles of more splits, for as many cores
          trial.dims[*dim].tile = std::min(2 * plan_.dims[*dim].tile, longest(*dim));
          multiplySplits(trial, 2);
        });
    for (size_t i = 0; i < group.products.size(); ++i) {
      const ProductDims &dims = group.products[i];
      depths(dims, group.work.products[i].depth);
      for (const Number dim : {dims.row, dims.column})
        if (isOpenTile(dim) && isOpenDepth(dims) && isOpenStage(dims))
          exchange(*dim, *dims.depth);
    }
  }

  void depths(const ProductDims &dims, int64_t extent) {
    if (!dims.depth)
      return;
    const Plan::Dimension &depth = plan_.dims[*dims.depth];
    if (isOpenDepth(dims))
      for (int64_t base : lengthsAround(depth.tile, dims.unit, extent))
        add([&](Plan &trial) {
          trial.dims[*dims.depth].tile = base;
          trial.dims[*dims.depth].stage = std::max(base, depth.stage);
        });
    if (isOpenStage(dims))
      for (int64_t stage : lengthsAround(depth.stage, space_.sizesOf(plan_, dims).depth, extent))
        add([&](Plan &trial) { trial.dims[*dims.depth].stage = stage; });
    if (hasOpenSplits(dims))
      for (int64_t splits : {depth.splits - 1, depth.splits + 1, depth.splits * 2})
        if (splits >= 1 && splits <= 4 * space_.cores_)
          add([&](Plan &trial) { trial.dims[*dims.depth].splits = splits; });
  }

  /// Half as long along one dimension, and half as many tiles along the other.
  void exchangeTiles(size_t shorter, size_t longer) {
    const int64_t tile = plan_.dims[longer].tile, extent = space_.dims_[longer].extent;
    if (tile >= extent || plan_.dims[shorter].tile <= space_.dims_[shorter].unit)
      return;
    const int64_t count = llvm::divideCeilSigned(llvm::divideCeilSigned(extent, tile), 2);
    add([&](Plan &trial) {
      trial.dims[shorter].tile = llvm::alignTo(llvm::divideCeilSigned(plan_.dims[shorter].tile, 2),
                                               space_.dims_[shorter].unit);
      trial.dims[longer].tile = std::min<int64_t>(
          llvm::alignTo(llvm::divideCeilSigned(extent, count), space_.dims_[longer].unit),
          longest(longer));
    });
  }

  /// Fewer rows or columns and as much deeper stages, which are longer runs of memory; and the
  /// reverse.
  void exchange(size_t dim, size_t depthDim) {
    const Plan::Dimension &depth = plan_.dims[depthDim];
    const int64_t unit = space_.dims_[dim].unit, tile = plan_.dims[dim].tile;
    for (const int64_t factor : {2, 4}) {
      add([&](Plan &trial) {
        trial.dims[dim].tile = llvm::alignTo(llvm::divideCeilSigned(tile, factor), unit);
        trial.dims[depthDim].tile = factor * depth.tile;
        trial.dims[depthDim].stage = factor * depth.stage;
      });
      add([&](Plan &trial) {
        trial.dims[dim].tile = std::min(factor * tile, longest(dim));
        trial.dims[depthDim].tile = llvm::divideCeilSigned(depth.tile, factor);
        trial.dims[depthDim].stage = llvm::divideCeilSigned(depth.stage, factor);
      });
    }
  }

  /// One copy has room for longer tiles, and these for more splits, so that as many cores have
  /// work.
  void copies(int64_t PlanCopies::*member) {
    const int64_t other = plan_.copies.*member == 1 ? 2 : 1;
    add([&](Plan &trial) { trial.copies.*member = other; });
    if (other == 2)
      return;
    for (size_t dim = 0; dim < plan_.dims.size(); ++dim)
      for (const int64_t factor : {2, 3})
        for (const bool alsoSplits : {false, true})
          if (isOpenTile(dim))
            add([&](Plan &trial) {
              trial.copies.*member = other;
              trial.dims[dim].tile = std::min(factor * plan_.dims[dim].tile, longest(dim));
              if (alsoSplits)
                multiplySplits(trial, factor);
            });
  }

  void multiplySplits(Plan &trial, int64_t factor) const {
    for (const Group &group : space_.groups_)
      for (const ProductDims &dims : group.products)
        if (hasOpenSplits(dims))
          trial.dims[*dims.depth].splits = factor * plan_.dims[*dims.depth].splits;
  }

  void words() {
    for (const bool skewed : space_.skews())
      if (skewed != plan_.options.skewed)
        add([&](Plan &trial) { trial.options.skewed = skewed; });
    for (const bool overlapped : space_.overlaps(plan_))
      if (overlapped != plan_.options.overlapped)
        add([&](Plan &trial) { trial.options.overlapped = overlapped; });
  }

  const PlanSpace &space_;
  const Plan &plan_;
  bool hasGrid_ = false;
  std::vector<Plan> changes_;
};

std::vector<Plan> PlanSpace::changesOf(const Plan &plan) const {
  return Changes(*this, plan).all();
}

std::vector<Plan> PlanSpace::exchangesOf(const Plan &plan) const {
  return Changes(*this, plan).exchanges();
}

} // namespace mmk::aicore
