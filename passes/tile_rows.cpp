#include "passes/tile_rows.h"

#include "backend/backend.h"
#include "passes/fuse_producers.h"
#include "passes/row_space.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace mmk {
namespace {

/// The least length of a part of a row beside a product.
constexpr int64_t partBesideProduct = 2048;

class RowTiling {
public:
  RowTiling(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine)
      : kernel(kernel), group(group), machine(machine), space(group), plane(planeOf(space)),
        b(kernel.getContext()), loc(group.getLoc()) {}

  LogicalResult run();

private:
  void chooseTile();
  /// For each element, roughly in additions.
  int64_t operations();
  /// The kept dimension of the plane as the machine divides it.
  void fitTile();
  /// The core's loop over its tiles; the builder is then in it, at the coordinates of a tile.
  scf::ForOp createLoop(ValueRange inits);
  void placeTile(ir::TileCoordsOp coords);
  LogicalResult tileOp(linalg::GenericOp op);
  void tileCumulation(ir::CumulateOp op);
  void yieldTiles(scf::ForOp loop);
  ir::YieldOp yield() { return cast<ir::YieldOp>(group.getBody().front().getTerminator()); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  ir::KernelOp kernel;
  ir::FusionGroupOp group;
  aicore::MachineAttr machine;
  const RowSpace space;
  const TilePlane plane;
  IRRewriter b;
  Location loc;
  int64_t tileM = 1, tileN = 1; ///< at most
  Value tileRows, tileColumns;
  SmallVector<Value> extents;               ///< of the space
  Value batches;                            ///< kept iterations outside of the plane
  SmallVector<OpFoldResult> offsets, sizes; ///< of the current tile in it
  DenseMap<Value, Value> tiled; ///< results of the group's operations on the current tile
};

void RowTiling::chooseTile() {
  const ElementwiseTile literal = backendOf(machine).literalElementwiseTile();
  auto tileOf = [&](int64_t dim, int64_t otherwise) {
    return dim < 0 ? 1 : kernel.chosenNumber(("tile." + space.names[dim]).str(), otherwise);
  };
  tileM = tileOf(plane.rows, literal.rows);
  tileN = tileOf(plane.columns, literal.columns);
  // The depth of a product is short; parts of a row need not be.
  if (hasProduct(kernel) && plane.reducesColumns)
    tileN = std::max(tileN, partBesideProduct);
  // A tile of the schedule is one step of one vector core. A block has several, which share what is
  // kept.
  if (!hasProduct(kernel) && machine.getTopology() == aicore::Topology::split)
    (plane.reducesColumns ? tileM : tileN) *= machine.getVectorCores();
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
                               operations()};
  for (int64_t dim : space.reduced())
    reduction.reduced = arith::MulIOp::create(b, loc, reduction.reduced, extents[dim]);
  Value &tile = plane.reducesColumns ? tileRows : tileColumns;
  tile = backendOf(machine).fitReduction(b, loc, reduction, plane.reducesColumns ? tileM : tileN);
}

scf::ForOp RowTiling::createLoop(ValueRange inits) {
  Value one = index(1);
  batches = one;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    const auto number = static_cast<int64_t>(dim);
    if (!space.isReduced[dim] && number != plane.rows && number != plane.columns)
      batches = arith::MulIOp::create(b, loc, batches, extent);
  }
  fitTile();
  auto tiles = [&](int64_t dim, Value tile) -> Value {
    if (dim < 0 || space.isReduced[dim])
      return one;
    return arith::CeilDivSIOp::create(b, loc, extents[dim], tile);
  };
  Value down = tiles(plane.rows, tileRows), across = tiles(plane.columns, tileColumns);
  const int64_t cores = kernel.chosenNumber("cores", 1);
  auto mapping = ir::MappingAttr::get(b.getContext(), ir::Order::rows, 1, cores, 0, 0, 1);
  Value block = group.getBody().getArgument(0);
  Value share =
      ir::TileCountOp::create(b, loc, b.getIndexType(), block, batches, down, across, mapping);
  auto loop = scf::ForOp::create(b, loc, index(0), share, one, inits);
  b.setInsertionPointToStart(loop.getBody());
  Type type = b.getIndexType();
  placeTile(ir::TileCoordsOp::create(b, loc, type, type, type, loop.getInductionVar(), block,
                                     batches, down, across, mapping));
  return loop;
}

void RowTiling::placeTile(ir::TileCoordsOp coords) {
  Value batch = coords.getBatch();
  offsets.assign(extents.size(), b.getIndexAttr(0));
  sizes.assign(extents.size(), b.getIndexAttr(1));
  SmallVector<size_t> batches;
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
    } else {
      batches.push_back(dim);
    }
  }
  for (size_t dim : llvm::reverse(batches)) {
    const bool isFirst = dim == batches.front();
    offsets[dim] =
        isFirst ? batch : arith::RemSIOp::create(b, loc, batch, extents[dim]).getResult();
    if (!isFirst)
      batch = arith::DivSIOp::create(b, loc, batch, extents[dim]);
  }
}

// An operation on the current tile, from the tiles of the operations before it.
LogicalResult RowTiling::tileOp(linalg::GenericOp op) {
  SmallVector<OpFoldResult> from, extent;
  const SpaceLoops loops = loopsOf(op);
  for (int64_t dim : loops) {
    from.push_back(dim < 0 ? OpFoldResult(b.getIndexAttr(0)) : offsets[dim]);
    extent.push_back(dim < 0 ? OpFoldResult(b.getIndexAttr(1)) : sizes[dim]);
  }
  FailureOr<TilingResult> result =
      cast<TilingInterface>(op.getOperation()).getTiledImplementation(b, from, extent);
  if (failed(result))
    return op.emitError("this operation cannot be tiled");
  SmallVector<Operation *> others;
  for (Operation *slice : result->generatedSlices) {
    Value known = tiled.lookup(cast<tensor::ExtractSliceOp>(slice).getSource());
    if (known)
      b.replaceOp(slice, known);
    else
      others.push_back(slice);
  }
  DenseMap<Value, Value> products;
  {
    OpBuilder::InsertionGuard guard(b);
    if (failed(fuseProducers(b, others, products)))
      return failure();
  }
  Operation *tile = result->tiledOps[0];
  // A tensor without dimensions has no slice.
  for (OpOperand &operand : tile->getOpOperands())
    if (Value known = tiled.lookup(operand.get()))
      operand.set(known);
  tile->setAttr(loopsAttr, op->getAttr(loopsAttr));
  b.setInsertionPointAfter(tile);
  for (auto [whole, value] : llvm::zip(op.getResults(), tile->getResults()))
    tiled[whole] = value;
  return success();
}

void RowTiling::tileCumulation(ir::CumulateOp op) {
  const SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  auto slice = tensor::ExtractSliceOp::create(b, loc, op.getOperand(), offsets, sizes, strides);
  auto tile = ir::CumulateOp::create(b, op.getLoc(), slice.getType(), slice, op.getAlong());
  tile->setAttr(loopsAttr, op->getAttr(loopsAttr));
  tiled[op.getResult()] = tile.getResult();
}

void RowTiling::yieldTiles(scf::ForOp loop) {
  SmallVector<Value> filled;
  for (auto [value, init] : llvm::zip(yield().getValues(), loop.getRegionIterArgs())) {
    Operation *op = value.getDefiningOp();
    SmallVector<OpFoldResult> from, extent;
    for (int64_t dim : dimsOfResult(op, loopsOf(op))) {
      from.push_back(dim < 0 ? OpFoldResult(b.getIndexAttr(0)) : offsets[dim]);
      extent.push_back(dim < 0 ? OpFoldResult(b.getIndexAttr(1)) : sizes[dim]);
    }
    const SmallVector<OpFoldResult> strides(from.size(), b.getIndexAttr(1));
    filled.push_back(
        tensor::InsertSliceOp::create(b, loc, tiled.lookup(value), init, from, extent, strides)
            .getResult());
  }
  scf::YieldOp::create(b, loc, filled);
}

/// A cumulative sum has a loop for each dimension.
size_t numberOfLoops(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic.getNumLoops();
  return cast<ir::CumulateOp>(op).getType().getRank();
}

LogicalResult RowTiling::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : group.getBody().front())
    if (isa<linalg::GenericOp, ir::CumulateOp>(op))
      ops.push_back(&op);
  for (Value value : yield().getValues())
    if (!llvm::is_contained(ops, value.getDefiningOp()))
      return group.emitOpError("expected to yield results of its operations");
  for (Operation *op : ops)
    if (const size_t loops = numberOfLoops(op); loopsOf(op).size() != loops)
      return op->emitOpError("expected a dimension of its row group for each of its ")
             << loops << " loops";
  chooseTile();
  b.setInsertionPoint(yield());
  for (StringRef name : space.names)
    extents.push_back(dimValue(b, loc, name));
  SmallVector<Value> inits;
  for (Value value : yield().getValues()) {
    Operation *op = value.getDefiningOp();
    SmallVector<OpFoldResult> whole;
    for (int64_t dim : dimsOfResult(op, loopsOf(op)))
      whole.push_back(dim < 0 ? OpFoldResult(b.getIndexAttr(1)) : OpFoldResult(extents[dim]));
    // A dimension of extent 1 stays one that is known when the kernel runs, as in its type.
    for (auto [i, extent] : llvm::enumerate(whole))
      if (isa<Attribute>(extent))
        extent = dimValue(b, loc, "1");
    inits.push_back(tensor::EmptyOp::create(
        b, loc, whole, cast<RankedTensorType>(value.getType()).getElementType()));
  }
  scf::ForOp loop = createLoop(inits);
  group.setTile(ArrayRef<int64_t>{tileM, tileN});
  for (Operation *op : ops) {
    if (auto cumulation = dyn_cast<ir::CumulateOp>(op))
      tileCumulation(cumulation);
    else if (failed(tileOp(cast<linalg::GenericOp>(op))))
      return failure();
  }
  yieldTiles(loop);
  yield().getValuesMutable().assign(loop.getResults());
  for (Operation *op : llvm::reverse(ops))
    b.eraseOp(op);
  // Operations that read the same part of a tensor have one slice of it, which is loaded once.
  DominanceInfo dominance;
  eliminateCommonSubExpressions(b, dominance, group);
  return success();
}

} // namespace

LogicalResult tileRows(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine) {
  return RowTiling(kernel, group, machine).run();
}

} // namespace mmk
