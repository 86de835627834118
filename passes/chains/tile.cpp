#include "passes/chains/chain.h"

#include "backend/backend.h"
#include "passes/fuse_producers.h"
#include "passes/row_space.h"
#include "passes/rows/tile.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mmk {

/// Whether a product multiplies what is computed from rows.
static bool isSecond(linalg::ContractOp product) {
  return product.getInputs()[0].getDefiningOp<ir::RowsOp>() != nullptr;
}

std::optional<Chain> Chain::of(ir::FusionGroupOp group, Block &operations) {
  if (!group.getSpaceAttr())
    return std::nullopt;
  Chain chain;
  for (auto product : operations.getOps<linalg::ContractOp>())
    if (isSecond(product))
      chain.seconds.push_back({product, {}});
    else
      chain.firsts.push_back(product);
  if (chain.firsts.empty() || chain.seconds.empty())
    return std::nullopt;
  for (auto generic : operations.getOps<linalg::GenericOp>())
    for (Value input : generic.getDpsInputs())
      for (Second &second : chain.seconds)
        if (input == second.product.getResult(0))
          second.epilogue = generic;
  return chain;
}

SmallVector<Value> Chain::weights() {
  llvm::SmallSetVector<Value, 2> weights;
  for (Second &second : seconds)
    weights.insert(second.weights());
  return weights.takeVector();
}

Chain::Second *Chain::secondOf(Value value) {
  Operation *op = value.getDefiningOp();
  for (Second &second : seconds)
    if (op && (op == second.product || op == second.epilogue))
      return &second;
  return nullptr;
}

std::optional<Chain> Chain::of(ir::FusionGroupOp group) {
  Block &whole = group.getBody().front();
  for (auto loop : whole.getOps<scf::ForallOp>())
    return of(group, *loop.getBody());
  return of(group, whole);
}

namespace {

class ChainTiling {
public:
  ChainTiling(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine)
      : kernel(kernel), group(group), machine(machine), chain(*Chain::of(group)), space(group),
        b(kernel.getContext()), loc(group.getLoc()), rows(rowsOf(group)) {}

  LogicalResult run();

private:
  int64_t tileOf(StringRef dim, int64_t otherwise) {
    return kernel.chosenNumber(("tile." + dim).str(), otherwise);
  }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  ir::YieldOp yield() { return cast<ir::YieldOp>(group.getBody().front().getTerminator()); }
  bool isOfRows(Value value) { return value.getDefiningOp() == rows; }

  SmallVector<Value> emptyOutputs();
  scf::ForOp createLoop(ValueRange inits);
  void placeTile(Value batch, Value row);
  void findOps(scf::ForOp loop);
  /// Of a tensor with the batches and rows of the chain, and columns of its own: the tile.
  void along(OpFoldResult columns, SmallVector<OpFoldResult> &from,
             SmallVector<OpFoldResult> &extent);
  /// The columns of a second product are whole, also those that are as many as it reduces.
  OpFoldResult columnsOf(linalg::ContractOp second) {
    return dimValue(b, loc, productNames(second).columns);
  }
  FailureOr<Value> tile(linalg::LinalgOp op, OpFoldResult columns, OpFoldResult depth);
  LogicalResult tileAll();
  void yieldTiles(scf::ForOp loop);

  ir::KernelOp kernel;
  ir::FusionGroupOp group;
  aicore::MachineAttr machine;
  Chain chain;
  const RowSpace space;
  IRRewriter b;
  Location loc;
  ir::RowsOp rows;            ///< between the products
  scf::ForallOp split;        ///< over parts of the columns; null where they are whole
  Value part;                 ///< the current one
  SmallVector<Value> results; ///< of the operations, for each result of the group
  int64_t tileM = 1;          ///< at most
  Value tileRows;
  SmallVector<Value> extents;               ///< of the space
  SmallVector<OpFoldResult> offsets, sizes; ///< of the current tile in it
  DenseMap<Value, Value> tiled;             ///< whole tensors -> their tiles
};

SmallVector<Value> ChainTiling::emptyOutputs() {
  if (split)
    return SmallVector<Value>(split.getOutputs());
  SmallVector<Value> empty;
  for (Value value : yield().getValues()) {
    const auto type = cast<RankedTensorType>(value.getType());
    SmallVector<OpFoldResult> whole;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      whole.push_back(dimValue(b, loc, dimName(value, dim)));
    empty.push_back(tensor::EmptyOp::create(b, loc, whole, type.getElementType()));
  }
  return empty;
}

// The core's loop over its tiles. The last rows come first, as a condition may leave them the most
// columns, and every other round goes through the cores in reverse, so that their shares are even.
scf::ForOp ChainTiling::createLoop(ValueRange inits) {
  const int64_t rank = space.names.size(), rowDim = rank - 2;
  Value one = index(1), zero = index(0), batches = one;
  for (int64_t dim = 0; dim < rowDim; ++dim)
    batches = arith::MulIOp::create(b, loc, batches, extents[dim]);
  Value parts = split ? index(*getConstantIntValue(split.getMixedUpperBound()[0])) : Value();
  if (split)
    batches = arith::MulIOp::create(b, loc, batches, parts);
  const int64_t coreCount = kernel.chosenNumber("cores", 1);
  ir::ChoiceOp choice = kernel.choice(("tile." + space.names[rowDim]).str());
  tileRows = index(tileM);
  if (choice && choice->hasAttr("fit"))
    tileRows = backendOf(machine).fitChain(
        b, loc, {batches, extents[rowDim], extents[rowDim + 1], false, coreCount}, tileM);
  Value down = arith::CeilDivSIOp::create(b, loc, extents[rowDim], tileRows);
  Value cores = index(coreCount), block = group.getBody().getArgument(0);
  Value all = arith::MulIOp::create(b, loc, batches, down);
  Value last = arith::SubIOp::create(b, loc, arith::SubIOp::create(b, loc, cores, one), block);
  // The place of the core in a round.
  const auto placeIn = [&](Value round) -> Value {
    Value half = arith::RemSIOp::create(b, loc, round, index(2));
    Value isEven = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, half, zero);
    return arith::SelectOp::create(b, loc, isEven, block, last);
  };
  Value full = arith::DivSIOp::create(b, loc, all, cores),
        rest = arith::RemSIOp::create(b, loc, all, cores);
  Value hasMore = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, placeIn(full), rest);
  Value share = arith::AddIOp::create(
      b, loc, full, arith::SelectOp::create(b, loc, hasMore, one, zero).getResult());
  auto loop = scf::ForOp::create(b, loc, zero, share, one, inits);
  b.setInsertionPointToStart(loop.getBody());
  Value round = loop.getInductionVar();
  Value number = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, round, cores).getResult(), placeIn(round));
  Value fromEnd = arith::DivSIOp::create(b, loc, number, batches);
  Value row = arith::SubIOp::create(b, loc, arith::SubIOp::create(b, loc, down, one), fromEnd);
  Value batch = arith::RemSIOp::create(b, loc, number, batches);
  if (split) {
    part = arith::RemSIOp::create(b, loc, batch, parts);
    batch = arith::DivSIOp::create(b, loc, batch, parts);
  }
  placeTile(batch, row);
  return loop;
}

void ChainTiling::placeTile(Value batch, Value row) {
  const int64_t rank = space.names.size(), rowDim = rank - 2;
  offsets.assign(rank, b.getIndexAttr(0));
  sizes.assign(rank, b.getIndexAttr(1));
  sizes.back() = extents.back();
  Value start = arith::MulIOp::create(b, loc, row, tileRows);
  Value rest = arith::SubIOp::create(b, loc, extents[rowDim], start);
  offsets[rowDim] = start;
  sizes[rowDim] = arith::MinSIOp::create(b, loc, rest, tileRows).getResult();
  for (int64_t dim = rowDim; dim-- > 0;) {
    offsets[dim] =
        dim == 0 ? batch : arith::RemSIOp::create(b, loc, batch, extents[dim]).getResult();
    if (dim > 0)
      batch = arith::DivSIOp::create(b, loc, batch, extents[dim]);
  }
}

void ChainTiling::along(OpFoldResult columns, SmallVector<OpFoldResult> &from,
                        SmallVector<OpFoldResult> &extent) {
  from.assign(offsets.begin(), offsets.end() - 1);
  extent.assign(sizes.begin(), sizes.end() - 1);
  from.push_back(b.getIndexAttr(0));
  extent.push_back(columns);
}

/// An operation on the current tile. `depth`: what a product sums over; null for another.
FailureOr<Value> ChainTiling::tile(linalg::LinalgOp op, OpFoldResult columns, OpFoldResult depth) {
  SmallVector<OpFoldResult> from, extent;
  along(columns, from, extent);
  if (depth) {
    const auto dims = productDims(cast<linalg::ContractOp>(op.getOperation()));
    from.insert(from.begin() + dims->reduction, b.getIndexAttr(0));
    extent.insert(extent.begin() + dims->reduction, depth);
  }
  FailureOr<TilingResult> result =
      cast<TilingInterface>(op.getOperation()).getTiledImplementation(b, from, extent);
  if (failed(result))
    return op.emitError("this operation cannot be tiled");
  SmallVector<Operation *> others;
  for (Operation *slice : result->generatedSlices) {
    if (Value known = tiled.lookup(cast<tensor::ExtractSliceOp>(slice).getSource()))
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
  Operation *own = result->tiledOps[0];
  b.setInsertionPointAfter(own);
  for (auto [whole, part] : llvm::zip(op->getResults(), own->getResults()))
    tiled[whole] = part;
  return own->getResult(0);
}

LogicalResult ChainTiling::tileAll() {
  for (linalg::ContractOp first : chain.firsts) {
    FailureOr<Value> product = tile(cast<linalg::LinalgOp>(first.getOperation()), sizes.back(),
                                    dimValue(b, loc, productNames(first).reduction));
    if (failed(product))
      return failure();
  }
  ir::RowsOp tileOfAll = tileOfRows(b, rows, offsets, sizes, tiled);
  for (auto [whole, own] : llvm::zip(rows->getResults(), tileOfAll->getResults()))
    tiled[whole] = own;
  for (Chain::Second &second : chain.seconds) {
    const OpFoldResult columns = columnsOf(second.product);
    if (failed(tile(cast<linalg::LinalgOp>(second.product.getOperation()), columns, sizes.back())))
      return failure();
    if (second.epilogue &&
        failed(tile(cast<linalg::LinalgOp>(second.epilogue.getOperation()), columns, {})))
      return failure();
  }
  return success();
}

void ChainTiling::yieldTiles(scf::ForOp loop) {
  SmallVector<Value> filled;
  for (auto [value, init] : llvm::zip(results, loop.getRegionIterArgs())) {
    if (isOfRows(value)) { // one element for each row
      filled.push_back(
          insertTile(b, cast<OpResult>(tiled.lookup(value)), init, offsets, sizes, part));
      continue;
    }
    SmallVector<OpFoldResult> from, extent;
    along(columnsOf(chain.secondOf(value)->product), from, extent);
    if (part) {
      from.insert(from.begin(), part);
      extent.insert(extent.begin(), b.getIndexAttr(1));
    }
    const SmallVector<OpFoldResult> strides(from.size(), b.getIndexAttr(1));
    filled.push_back(
        tensor::InsertSliceOp::create(b, loc, tiled.lookup(value), init, from, extent, strides)
            .getResult());
  }
  scf::YieldOp::create(b, loc, filled);
}

// Of parts, the operations of the current one become those of the loop.
void ChainTiling::findOps(scf::ForOp loop) {
  if (!split) {
    results = SmallVector<Value>(yield().getValues());
    return;
  }
  IRMapping map;
  map.map(split.getInductionVar(0), part);
  for (Operation &op : split.getBody()->without_terminator())
    b.clone(op, map);
  for (auto insert : split.getTerminator().getBody()->getOps<tensor::ParallelInsertSliceOp>())
    results.push_back(map.lookup(insert.getSource()));
  rows = cast<ir::RowsOp>(map.lookup(rows.getOperation()));
  chain = *Chain::of(group, *loop.getBody());
  linalg::ContractOp first = chain.firsts.front();
  const AffineMap ofColumns = first.getIndexingMapsArray()[1];
  const unsigned own =
      *ofColumns.getResultPosition(b.getAffineDimExpr(productDims(first)->columns));
  sizes.back() = first.getInputs()[1].getDefiningOp<tensor::ExtractSliceOp>().getMixedSizes()[own];
}

LogicalResult ChainTiling::run() {
  for (auto loop : group.getBody().front().getOps<scf::ForallOp>())
    split = loop;
  tileM = tileOf(space.names[space.names.size() - 2], literalChainRows);
  const int64_t tileN = tileOf(space.names.back(), literalChainColumns);
  b.setInsertionPoint(yield());
  for (StringRef name : space.names)
    extents.push_back(dimValue(b, loc, name));
  scf::ForOp loop = createLoop(emptyOutputs());
  group.setTile(ArrayRef<int64_t>{tileM, tileN});
  findOps(loop);
  if (failed(tileAll()))
    return failure();
  b.setInsertionPointToEnd(loop.getBody());
  yieldTiles(loop);
  yield().getValuesMutable().assign(loop.getResults());
  for (Chain::Second &second : chain.seconds) {
    if (second.epilogue)
      b.eraseOp(second.epilogue);
    b.eraseOp(second.product);
  }
  b.eraseOp(rows);
  for (linalg::ContractOp first : chain.firsts)
    b.eraseOp(first);
  if (split)
    b.eraseOp(split);
  mergeSlices(b, group);
  return success();
}

} // namespace

LogicalResult tileChain(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine) {
  return ChainTiling(kernel, group, machine).run();
}

} // namespace mmk
