#include "passes/tile_rows.h"

#include "backend/backend.h"
#include "passes/row_members.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace mmk {
namespace {

/// The least length of a part of a row beside a product.
constexpr int64_t partBesideProduct = 2048;

class RowTiling {
public:
  RowTiling(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine)
      : kernel(kernel), group(group), machine(machine), space(group), plane(planeOf(space)),
        b(kernel.getContext()), loc(group.getLoc()), members(group, b) {}

  LogicalResult run();

private:
  void chooseTile();
  bool isDepthOfProduct(StringRef name);
  /// For each element, roughly in additions.
  int64_t operations();
  /// The kept dimension of the plane as the machine divides it.
  void fitTile();
  /// The kept dimensions outside of the plane, of which a tile has several iterations.
  void fitBatches(Value most);
  /// The core's loop over its tiles; the builder is then in it, at the coordinates of a tile.
  scf::ForOp createLoop(ValueRange inits);
  void placeTile(ir::TileCoordsOp coords);
  /// Of a group that computes parts of its rows: into the loop over tiles, the loop over the parts
  /// of one tile, with the operations of a part on whole tensors. The builder is then in it.
  scf::ForOp createPartLoop(ValueRange inits);
  LogicalResult findMembers(Block &inside);
  LogicalResult runParts();
  int64_t partsOfTile() const {
    return machine.getTopology() == aicore::Topology::split ? machine.getVectorCores() : 1;
  }
  ir::YieldOp yield() { return cast<ir::YieldOp>(group.getBody().front().getTerminator()); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  ir::KernelOp kernel;
  ir::FusionGroupOp group;
  aicore::MachineAttr machine;
  const RowSpace space;
  const TilePlane plane;
  IRRewriter b;
  Location loc;
  RowMembers members;
  int64_t tileM = 1, tileN = 1; ///< at most
  Value tileRows, tileColumns;
  SmallVector<Value> extents; ///< of the space
  Value batches;              ///< tiles of kept dimensions outside of the plane
  SmallVector<std::pair<size_t, Value>> batchTiles; ///< of each, its extent in a tile; null: one
  scf::ForallOp split;                      ///< over parts of the rows; null where they are whole
  Value parts, part, tileOfParts;           ///< their number, the current one, that of its tile
  SmallVector<OpFoldResult> offsets, sizes; ///< of the current tile in it
};

void RowTiling::chooseTile() {
  const ElementwiseTile literal = backendOf(machine).literalElementwiseTile();
  auto tileOf = [&](int64_t dim, int64_t otherwise) {
    return dim < 0 ? 1 : kernel.chosenNumber(("tile." + space.names[dim]).str(), otherwise);
  };
  tileM = tileOf(plane.rows, literal.rows);
  tileN = tileOf(plane.columns, literal.columns);
  // The parts of rows are few, and at once on the chip.
  if (space.combines)
    space.names.front().getAsInteger(10, plane.reducesColumns ? tileN : tileM);
  // The depth of a product is short; parts of a row need not be.
  if (hasProduct(kernel) && plane.reducesColumns &&
      (!kernel.choice(("tile." + space.names[plane.columns]).str()) ||
       isDepthOfProduct(space.names[plane.columns])))
    tileN = std::max(tileN, partBesideProduct);
  // A tile of the schedule is one step of one vector core. A block has several, which share what is
  // kept. Parts of rows are steps of their own.
  if (!hasProduct(kernel) && !split && machine.getTopology() == aicore::Topology::split)
    (plane.reducesColumns ? tileM : tileN) *= machine.getVectorCores();
}

bool RowTiling::isDepthOfProduct(StringRef name) {
  return kernel
      .walk([&](linalg::ContractOp product) {
        return productNames(product).reduction == name ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

int64_t RowTiling::operations() {
  constexpr int64_t ofFunction = 8; // such as exp
  int64_t count = 0;
  for (auto generic : group.getBody().front().getOps<linalg::GenericOp>())
    for (Operation &op : generic.getBody()->without_terminator())
      if (!isa<arith::ConstantOp>(op))
        count += isa<math::MathDialect>(op.getDialect()) ? ofFunction : 1;
  return std::max<int64_t>(count, 1);
}

void RowTiling::fitTile() {
  tileRows = index(tileM);
  tileColumns = index(tileN);
  const int64_t kept = plane.reducesColumns ? plane.rows : plane.columns;
  if (kept < 0)
    return;
  FittedReduction reduction = {batches,
                               extents[kept],
                               index(1),
                               !plane.reducesColumns,
                               kernel.chosenNumber("cores", 1),
                               hasProduct(kernel),
                               operations(),
                               !group.getBody().front().getOps<ir::WindowOp>().empty()};
  for (int64_t dim : space.reduced())
    reduction.reduced = arith::MulIOp::create(b, loc, reduction.reduced, extents[dim]);
  Value &tile = plane.reducesColumns ? tileRows : tileColumns;
  tile = backendOf(machine).fitReduction(b, loc, reduction, plane.reducesColumns ? tileM : tileN);
  if (!split)
    fitBatches(backendOf(machine).fitBatches(b, loc, reduction, tile));
}

// The inner ones first, which are near in memory.
void RowTiling::fitBatches(Value most) {
  if (!most)
    return;
  batches = index(1);
  for (auto &[dim, tile] : llvm::reverse(batchTiles)) {
    Value extent = extents[dim];
    Value parts = arith::CeilDivSIOp::create(b, loc, extent, most);
    tile = arith::CeilDivSIOp::create(b, loc, extent, parts);
    batches = arith::MulIOp::create(b, loc, batches,
                                    arith::CeilDivSIOp::create(b, loc, extent, tile).getResult());
    most = arith::MaxSIOp::create(b, loc, arith::DivSIOp::create(b, loc, most, extent).getResult(),
                                  index(1));
  }
}

scf::ForOp RowTiling::createLoop(ValueRange inits) {
  Value one = index(1);
  batches = one;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    const auto number = static_cast<int64_t>(dim);
    if (!space.isReduced[dim] && number != plane.rows && number != plane.columns) {
      batches = arith::MulIOp::create(b, loc, batches, extent);
      batchTiles.push_back({dim, {}});
    }
  }
  fitTile();
  auto tiles = [&](int64_t dim, Value tile) -> Value {
    if (dim < 0 || space.isReduced[dim])
      return one;
    return arith::CeilDivSIOp::create(b, loc, extents[dim], tile);
  };
  Value down = tiles(plane.rows, tileRows), across = tiles(plane.columns, tileColumns),
        all = batches;
  if (split)
    all = arith::MulIOp::create(
        b, loc, batches,
        arith::CeilDivSIOp::create(b, loc, parts, index(partsOfTile())).getResult());
  const int64_t cores = kernel.chosenNumber("cores", 1);
  auto mapping = ir::MappingAttr::get(b.getContext(), ir::Order::rows, 1, cores, 0, 0, 1);
  Value block = group.getBody().getArgument(0);
  Value share =
      ir::TileCountOp::create(b, loc, b.getIndexType(), block, all, down, across, mapping);
  auto loop = scf::ForOp::create(b, loc, index(0), share, one, inits);
  b.setInsertionPointToStart(loop.getBody());
  Type type = b.getIndexType();
  placeTile(ir::TileCoordsOp::create(b, loc, type, type, type, loop.getInductionVar(), block, all,
                                     down, across, mapping));
  return loop;
}

void RowTiling::placeTile(ir::TileCoordsOp coords) {
  Value batch = coords.getBatch();
  if (split) {
    tileOfParts = arith::DivSIOp::create(b, loc, batch, batches);
    batch = arith::RemSIOp::create(b, loc, batch, batches);
  }
  offsets.assign(extents.size(), b.getIndexAttr(0));
  sizes.assign(extents.size(), b.getIndexAttr(1));
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    const auto number = static_cast<int64_t>(dim);
    if (space.isReduced[dim]) {
      sizes[dim] = extents[dim];
    } else if (number == plane.rows || number == plane.columns) {
      Value tile = number == plane.rows ? tileRows : tileColumns;
      Value which = number == plane.rows ? coords.getRow() : coords.getColumn();
      Value start = arith::MulIOp::create(b, loc, which, tile);
      Value rest = arith::SubIOp::create(b, loc, extents[dim], start);
      offsets[dim] = start;
      sizes[dim] = arith::MinSIOp::create(b, loc, rest, tile).getResult();
    }
  }
  for (const auto &[dim, tile] : llvm::reverse(batchTiles)) {
    const bool isFirst = dim == batchTiles.front().first;
    Value count = tile ? arith::CeilDivSIOp::create(b, loc, extents[dim], tile) : extents[dim];
    Value which = isFirst ? batch : arith::RemSIOp::create(b, loc, batch, count).getResult();
    if (!isFirst)
      batch = arith::DivSIOp::create(b, loc, batch, count);
    offsets[dim] = which;
    if (!tile)
      continue;
    Value start = arith::MulIOp::create(b, loc, which, tile);
    offsets[dim] = start;
    sizes[dim] = arith::MinSIOp::create(
                     b, loc, arith::SubIOp::create(b, loc, extents[dim], start).getResult(), tile)
                     .getResult();
  }
}

// The vector cores of a block have a part each.
scf::ForOp RowTiling::createPartLoop(ValueRange inits) {
  Value first = arith::MulIOp::create(b, loc, tileOfParts, index(partsOfTile()));
  Value rest = arith::SubIOp::create(b, loc, parts, first);
  Value count = arith::MinSIOp::create(b, loc, rest, index(partsOfTile()));
  auto loop = scf::ForOp::create(b, loc, index(0), count, index(1), inits);
  b.setInsertionPointToStart(loop.getBody());
  part = arith::AddIOp::create(b, loc, first, loop.getInductionVar());
  return loop;
}

LogicalResult RowTiling::findMembers(Block &inside) {
  IRMapping map;
  map.map(split.getInductionVar(0), part);
  for (Operation &op : split.getBody()->without_terminator())
    b.clone(op, map);
  SmallVector<Value> results;
  for (auto insert : split.getTerminator().getBody()->getOps<tensor::ParallelInsertSliceOp>())
    results.push_back(map.lookup(insert.getSource()));
  return members.find(inside, results);
}

LogicalResult RowTiling::run() {
  for (auto loop : group.getBody().front().getOps<scf::ForallOp>())
    split = loop;
  if (!split && failed(members.find()))
    return failure();
  chooseTile();
  b.setInsertionPoint(yield());
  for (StringRef name : space.names)
    extents.push_back(dimValue(b, loc, name));
  if (split)
    return runParts();
  scf::ForOp loop = createLoop(members.emptyOutputs(extents));
  group.setTile(ArrayRef<int64_t>{tileM, tileN});
  if (failed(members.tile(offsets, sizes)))
    return failure();
  members.yieldTiles(loop, offsets, sizes);
  yield().getValuesMutable().assign(loop.getResults());
  members.eraseWhole();
  members.mergeSlices();
  return success();
}

LogicalResult RowTiling::runParts() {
  parts = index(*getConstantIntValue(split.getMixedUpperBound()[0]));
  const SmallVector<Value> empty(split.getOutputs());
  scf::ForOp tiles = createLoop(empty);
  scf::ForOp loop = createPartLoop(tiles.getRegionIterArgs());
  group.setTile(ArrayRef<int64_t>{tileM, tileN});
  if (failed(findMembers(*loop.getBody())))
    return failure();
  for (int64_t dim : space.reduced())
    if (OpFoldResult ofPart = members.extentInSlices(dim))
      sizes[dim] = ofPart;
  if (failed(members.tile(offsets, sizes)))
    return failure();
  members.yieldTiles(loop, offsets, sizes, part);
  b.setInsertionPointToEnd(tiles.getBody());
  scf::YieldOp::create(b, loc, loop.getResults());
  yield().getValuesMutable().assign(tiles.getResults());
  members.eraseWhole();
  b.eraseOp(split);
  members.mergeSlices();
  return success();
}

} // namespace

LogicalResult tileRows(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine) {
  return RowTiling(kernel, group, machine).run();
}

} // namespace mmk
