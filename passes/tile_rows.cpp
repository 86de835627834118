#include "passes/tile_rows.h"

#include "backend/backend.h"
#include "passes/row_space.h"
#include "passes/rows/tile.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mmk {
namespace {

/// The least length of a part of a row beside a product.
constexpr int64_t partBesideProduct = 2048;
/// Additions that take as long as a function, such as exp, and as the search of an extreme.
constexpr int64_t ofFunction = 8, ofSearch = 7;

/// The extent of a dimension of the space in the slices that the program reads; null where none has
/// it.
OpFoldResult extentInSlices(ir::RowsOp rows, int64_t dim) {
  for (auto [number, tensor] : llvm::enumerate(rows.getInputs()))
    for (auto [i, own] : llvm::enumerate(rows.dimsOfInput(number)))
      if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>(); slice && own == dim)
        return slice.getMixedSizes()[i];
  return {};
}

class RowTiling {
public:
  RowTiling(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine)
      : kernel(kernel), group(group), machine(machine), space(group), plane(planeOf(space)),
        b(kernel.getContext()), loc(group.getLoc()) {}

  LogicalResult run();

private:
  void chooseTile();
  bool isDepthOfProduct(StringRef name);
  /// For each element, roughly in additions.
  int64_t operations();
  /// For an element of the program, from what it reads and from reductions.
  int64_t operationsOf(Value element);
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
  /// Into the loop over parts, the operations on the current one; the program among them.
  ir::RowsOp clonePart();
  void runWhole();
  void runParts();
  /// Inserts the results of the tile into what the loop carries.
  void yieldTiles(scf::ForOp loop, ValueRange results, ir::RowsOp tile);
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
  ir::RowsOp rows;              ///< on whole tensors
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
  if (split)
    return 1;
  int64_t count = 0;
  // Each pass computes again what it needs.
  for (Value element : rows.elements())
    if (!element.getDefiningOp<ir::RowReduceOp>())
      count += operationsOf(element);
  for (auto reduction : rows.block().getOps<ir::RowReduceOp>())
    count += operationsOf(reduction.getElement()) + (reduction.getPosition() ? ofSearch : 1);
  return std::max<int64_t>(count, 1);
}

int64_t RowTiling::operationsOf(Value element) {
  SetVector<Operation *> needed;
  const auto need = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == &rows.block() && !isa<ir::RowReduceOp, arith::ConstantOp>(op))
      needed.insert(op);
  };
  need(element);
  int64_t count = 0;
  for (size_t i = 0; i < needed.size(); ++i) {
    count += isa<math::MathDialect>(needed[i]->getDialect()) ? ofFunction : 1;
    llvm::for_each(needed[i]->getOperands(), need);
  }
  return count;
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

ir::RowsOp RowTiling::clonePart() {
  IRMapping map;
  map.map(split.getInductionVar(0), part);
  for (Operation &op : split.getBody()->without_terminator())
    b.clone(op, map);
  return cast<ir::RowsOp>(map.lookup(rows.getOperation()));
}

void RowTiling::yieldTiles(scf::ForOp loop, ValueRange results, ir::RowsOp tile) {
  SmallVector<Value> filled;
  for (auto [value, into] : llvm::zip(results, loop.getRegionIterArgs()))
    filled.push_back(insertTile(b, tile->getResult(cast<OpResult>(value).getResultNumber()), into,
                                offsets, sizes, part));
  scf::YieldOp::create(b, loc, filled);
}

LogicalResult RowTiling::run() {
  for (auto loop : group.getBody().front().getOps<scf::ForallOp>())
    split = loop;
  rows = split ? rowsOf(group) : rowsToTile(group);
  if (!rows)
    return failure();
  chooseTile();
  b.setInsertionPoint(yield());
  for (StringRef name : space.names)
    extents.push_back(dimValue(b, loc, name));
  split ? runParts() : runWhole();
  mergeSlices(b, group);
  return success();
}

void RowTiling::runWhole() {
  SmallVector<Value> empty;
  for (Value result : yield().getValues())
    empty.push_back(emptyResult(b, cast<OpResult>(result), extents));
  scf::ForOp loop = createLoop(empty);
  group.setTile(ArrayRef<int64_t>{tileM, tileN});
  yieldTiles(loop, yield().getValues(), tileOfRows(b, rows, offsets, sizes));
  yield().getValuesMutable().assign(loop.getResults());
  b.eraseOp(rows);
}

void RowTiling::runParts() {
  parts = index(*getConstantIntValue(split.getMixedUpperBound()[0]));
  const SmallVector<Value> empty(split.getOutputs());
  scf::ForOp tiles = createLoop(empty);
  scf::ForOp loop = createPartLoop(tiles.getRegionIterArgs());
  group.setTile(ArrayRef<int64_t>{tileM, tileN});
  ir::RowsOp whole = clonePart();
  for (int64_t dim : space.reduced())
    if (OpFoldResult ofPart = extentInSlices(whole, dim))
      sizes[dim] = ofPart;
  yieldTiles(loop, rows->getResults(), tileOfRows(b, whole, offsets, sizes));
  b.setInsertionPointToEnd(tiles.getBody());
  scf::YieldOp::create(b, loc, loop.getResults());
  yield().getValuesMutable().assign(tiles.getResults());
  b.eraseOp(whole);
  b.eraseOp(split);
}

} // namespace

LogicalResult tileRows(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine) {
  return RowTiling(kernel, group, machine).run();
}

} // namespace mmk
