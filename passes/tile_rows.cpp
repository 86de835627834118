#include "passes/tile_rows.h"

#include "backend/backend.h"
#include "passes/row_members.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
  /// For each element, roughly in additions.
  int64_t operations();
  /// The kept dimension of the plane as the machine divides it.
  void fitTile();
  /// The core's loop over its tiles; the builder is then in it, at the coordinates of a tile.
  scf::ForOp createLoop(ValueRange inits);
  void placeTile(ir::TileCoordsOp coords);
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
  SmallVector<Value> extents;               ///< of the space
  Value batches;                            ///< kept iterations outside of the plane
  SmallVector<OpFoldResult> offsets, sizes; ///< of the current tile in it
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

LogicalResult RowTiling::run() {
  if (failed(members.find()))
    return failure();
  chooseTile();
  b.setInsertionPoint(yield());
  for (StringRef name : space.names)
    extents.push_back(dimValue(b, loc, name));
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

} // namespace

LogicalResult tileRows(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine) {
  return RowTiling(kernel, group, machine).run();
}

} // namespace mmk
