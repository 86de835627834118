#include "passes/fit_tile.h"
#include "passes/passes.h"
#include "passes/variant.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_TILECORES
#include "passes/Passes.h.inc"

namespace {

class NestTiling {
public:
  /// `outputs`: of the kernel, which this changes.
  NestTiling(ir::KernelOp kernel, ir::NestOp nest, aicore::MachineAttr machine,
             ArrayRef<StringRef> outputs)
      : kernel(kernel), nest(nest), machine(machine), outputs(outputs), b(kernel.getContext()),
        loc(nest.getLoc()) {}

  LogicalResult run();

private:
  LogicalResult findWork();
  linalg::LinalgOp root();
  linalg::LinalgOp rootOfPart(Value part);
  int64_t tileOf(StringRef dim, int64_t otherwise);
  bool fits(StringRef dim);
  void chooseTile();
  ir::DealAttr deal();
  void findKept();
  scf::ForOp createLoop(Value bound, StringRef level, ValueRange inits);
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  /// Walks the producers of a tiled op's operands: each slice of a product or of its zero becomes
  /// that op on the tile alone.
  LogicalResult fuseProducers(SmallVector<Operation *> slices);
  void sinkInto(scf::IfOp branch, tensor::ExtractSliceOp slice, SmallVector<Operation *> &slices);

  ir::KernelOp kernel;
  ir::NestOp nest;
  aicore::MachineAttr machine;
  ArrayRef<StringRef> outputs;
  IRRewriter b;
  Location loc;
  linalg::GenericOp generic;
  linalg::ContractOp contract;
  linalg::ReduceOp sum;        ///< of the parts of a split reduction
  scf::ForallOp parts;         ///< that compute those parts
  SmallVector<StringRef> dims; ///< of the output
  int64_t tileM = 1, tileN = 1;
  bool fitsM = false, fitsN = false; ///< they are the largest, and the shape decides
  std::optional<unsigned> kept;      ///< operand whose panel stays in L1 for a line of tiles
  Value tiledProduct;
};

int64_t NestTiling::tileOf(StringRef dim, int64_t otherwise) {
  return kernel.chosenNumber(("tile." + dim).str(), otherwise);
}

bool NestTiling::fits(StringRef dim) {
  ir::ChoiceOp choice = kernel.choice(("tile." + dim).str());
  return choice && choice->hasAttr("fit");
}

// Dimensions with a name have their tiles from the schedule or from mmk-apply-variant; the numbers
// here are for literal ones.
void NestTiling::chooseTile() {
  // A sum of parts waits for memory only: whole rows, and few of them for each vector core, so that
  // there are some for all.
  if (sum) {
    tileM = 8 * (machine.getTopology() == aicore::Topology::split ? machine.getVectorCores() : 1);
    tileN = 512;
    return;
  }
  // The share of a thread, whether its dimensions have names or not.
  const bool onHost = contract && machine.getTopology() == aicore::Topology::host;
  auto isLiteral = [](StringRef dim) { return llvm::isDigit(dim.front()); };
  tileN = tileOf(dims.back(), onHost ? hostTile : contract ? 256 : 512);
  fitsN = fits(dims.back()) || (onHost && isLiteral(dims.back()));
  if (dims.size() > 1) {
    StringRef down = dims[dims.size() - 2];
    tileM = tileOf(down, onHost ? hostTile : contract ? 128 : 8);
    fitsM = fits(down) || (onHost && isLiteral(down));
  }
  // Without a product in the kernel, the tile is one step of one vector core; a block has several,
  // and deals rows to them, or columns where there is only one row.
  if (!hasProduct(kernel) && machine.getTopology() == aicore::Topology::split)
    (dims.size() > 1 ? tileM : tileN) *= machine.getVectorCores();
}

ir::DealAttr NestTiling::deal() {
  const int64_t cores = kernel.chosenNumber("cores", 1);
  if (sum) // no matter who has computed the parts
    return ir::DealAttr::get(b.getContext(), ir::Order::rows, 1, cores, 0, 0, 1);
  StringRef word = kernel.chosenWord("order", "rows");
  int64_t width = 1;
  if (word.consume_front("swizzle(")) {
    word.consumeInteger(10, width);
    word = "swizzle";
  }
  auto order = ir::symbolizeOrder(word);
  // What is a reduction elsewhere is split there, and dealt here tile by tile, as there may be more
  // parts than cores.
  auto grid = [&](StringRef dim) {
    return llvm::is_contained(outputs, dim) ? kernel.chosenNumber(("grid." + dim).str(), 1) : 1;
  };
  int64_t gridM = dims.size() > 1 ? grid(dims[dims.size() - 2]) : 1;
  int64_t gridN = grid(dims.back()), gridK = 1;
  // 0 x 0 is "no grid": the tiles are dealt one by one.
  if (gridM * gridN == 1)
    gridM = gridN = 0;
  else if (parts)
    gridK = kernel.chosenNumber(("grid." + dimNames(contract).back()).str(), 1);
  return ir::DealAttr::get(b.getContext(), order.value_or(ir::Order::rows), width, cores, gridM,
                           gridN, gridK);
}

void NestTiling::findKept() {
  if (contract && !sum)
    if (std::optional<KeptPanel> panel = keptPanel(kernel))
      kept = panel->operand;
}

scf::ForOp NestTiling::createLoop(Value bound, StringRef level, ValueRange inits) {
  auto loop = scf::ForOp::create(b, loc, index(0), bound, index(1), inits);
  loop->setAttr("mmk.level", b.getStringAttr(level));
  b.setInsertionPointToStart(loop.getBody());
  return loop;
}

/// A slice of what one of two branches yields is taken in both of them.
void NestTiling::sinkInto(scf::IfOp branch, tensor::ExtractSliceOp slice,
                          SmallVector<Operation *> &slices) {
  const unsigned which = cast<OpResult>(slice.getSource()).getResultNumber();
  auto sliced = scf::IfOp::create(b, branch.getLoc(), slice.getType(), branch.getCondition(),
                                  /*withElseRegion=*/true);
  for (auto [from, to] : {std::pair(branch.thenBlock(), sliced.thenBlock()),
                          std::pair(branch.elseBlock(), sliced.elseBlock())}) {
    const OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(to);
    IRMapping copy;
    for (Operation &op : from->without_terminator())
      b.clone(op, copy);
    auto own = tensor::ExtractSliceOp::create(
        b, slice.getLoc(), slice.getType(),
        copy.lookupOrDefault(from->getTerminator()->getOperand(which)), slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
    scf::YieldOp::create(b, branch.getLoc(), own->getResults());
    slices.push_back(own);
  }
  b.replaceOp(slice, sliced);
}

LogicalResult NestTiling::fuseProducers(SmallVector<Operation *> slices) {
  for (size_t i = 0; i < slices.size(); ++i) {
    auto slice = cast<tensor::ExtractSliceOp>(slices[i]);
    Value source = slice.getSource();
    b.setInsertionPoint(slice);
    if (source.getDefiningOp<tensor::EmptyOp>()) {
      auto empty = tensor::EmptyOp::create(b, slice.getLoc(), slice.getMixedSizes(),
                                           slice.getType().getElementType());
      b.replaceOp(slice, empty);
      continue;
    }
    if (auto branch = source.getDefiningOp<scf::IfOp>()) {
      sinkInto(branch, slice, slices);
      continue;
    }
    auto producer = dyn_cast_or_null<TilingInterface>(source.getDefiningOp());
    if (!producer)
      continue;
    FailureOr<TilingResult> tiled =
        producer.generateResultTileValue(b, cast<OpResult>(source).getResultNumber(),
                                         slice.getMixedOffsets(), slice.getMixedSizes());
    if (failed(tiled))
      return producer.emitError("this operation cannot be tiled");
    if (isa<linalg::ContractOp, linalg::ReduceOp>(source.getDefiningOp()))
      tiledProduct = tiled->tiledValues[0];
    b.replaceOp(slice, tiled->tiledValues[0]);
    slices.append(tiled->generatedSlices.begin(), tiled->generatedSlices.end());
  }
  return success();
}

LogicalResult NestTiling::findWork() {
  for (Operation &op : nest.getBody().front()) {
    if (auto found = dyn_cast<linalg::GenericOp>(op))
      generic = found;
    if (auto found = dyn_cast<linalg::ContractOp>(op))
      contract = found;
    if (auto found = dyn_cast<linalg::ReduceOp>(op))
      sum = found;
    if (auto found = dyn_cast<scf::ForallOp>(op))
      parts = found;
  }
  if (parts)
    for (auto found : parts.getBody()->getOps<linalg::ContractOp>())
      contract = found;
  if (!generic && !contract && !sum)
    return nest.emitOpError("expected a product or an elementwise operation on whole tensors");
  for (Value value : nest.getBody().front().getTerminator()->getOperands())
    if (!isa_and_nonnull<linalg::GenericOp, linalg::ContractOp, linalg::ReduceOp, scf::ForallOp>(
            value.getDefiningOp()))
      return nest.emitOpError("expected to yield results of its product or elementwise operation");
  return success();
}

/// The op that the others of the nest compute operands of.
linalg::LinalgOp NestTiling::root() {
  if (generic)
    return cast<linalg::LinalgOp>(*generic);
  return sum ? cast<linalg::LinalgOp>(*sum) : cast<linalg::LinalgOp>(*contract);
}

/// The product over one part of the reduction, on its own slices of the operands.
linalg::LinalgOp NestTiling::rootOfPart(Value part) {
  IRMapping map;
  map.map(parts.getInductionVar(0), part);
  for (Operation &op : parts.getBody()->without_terminator())
    b.clone(op, map);
  return map.lookup(contract.getResult(0)).getDefiningOp<linalg::LinalgOp>();
}

LogicalResult NestTiling::run() {
  if (failed(findWork()))
    return failure();
  linalg::LinalgOp root = this->root();
  dims = dimNames(root);
  StringRef depth;
  if (root == contract)
    depth = dims.pop_back_val();
  chooseTile();

  auto yield = cast<ir::YieldOp>(nest.getBody().front().getTerminator());
  b.setInsertionPoint(yield);
  Value batches = index(1), one = index(1), zero = index(0);
  SmallVector<Value> extents;
  // Parts of a reduction are like batches of the output.
  if (parts)
    extents.push_back(parts.getDynamicUpperBound()[0]);
  for (StringRef dim : dims)
    extents.push_back(dimValue(b, loc, dim));
  const size_t rank = extents.size();
  for (size_t i = 0; i + 2 < rank; ++i)
    batches = arith::MulIOp::create(b, loc, batches, extents[i]);
  ir::DealAttr dealt = deal();
  const FittedOutput output = {batches, rank > 1 ? extents[rank - 2] : one, extents[rank - 1],
                               dealt.getCores()};
  const Value workDepth = contract ? dimValue(b, loc, dimNames(contract).back()) : one;
  const FittedTile largest = {tileM, tileN, fitsM, fitsN};
  auto [tileRows, tileColumns] = machine.getTopology() == aicore::Topology::host
                                     ? balanceTile(b, loc, output, workDepth, largest)
                                     : fitTile(b, loc, output, largest);
  auto tiles = [&](Value extent, Value tile) -> Value {
    return arith::CeilDivSIOp::create(b, loc, extent, tile);
  };
  Value rows = rank > 1 ? tiles(extents[rank - 2], tileRows) : one;
  Value columns = tiles(extents[rank - 1], tileColumns);
  const Value tilesDown = rows, tilesAcross = columns;
  Value block = nest.getBody().getArgument(0);

  // With a panel that stays in L1, what is dealt are lines of tiles: rows for A, columns for B. A
  // grid cuts each line into segments.
  findKept();
  const bool keepsB = kept == 1u;
  Value lines = rows, across = columns, segment, length = across;
  if (kept) {
    if (keepsB)
      std::swap(lines, across);
    const int64_t segments = std::max<int64_t>(1, keepsB ? dealt.getGridM() : dealt.getGridN());
    length = arith::CeilDivSIOp::create(b, loc, across, index(segments));
    // Which one is the block's: see ownBox of walk.cpp.
    segment = zero;
    if (segments > 1) {
      Value inGrid =
          arith::RemSIOp::create(b, loc, block, index(dealt.getGridM() * dealt.getGridN()));
      segment = keepsB ? arith::DivSIOp::create(b, loc, inGrid, index(dealt.getGridN())).getResult()
                       : arith::RemSIOp::create(b, loc, inGrid, index(segments)).getResult();
    }
    across = index(segments);
    rows = keepsB ? across : lines;
    columns = keepsB ? lines : across;
  }
  Value share = ir::ShareOp::create(b, loc, b.getIndexType(), block, batches, rows, columns, dealt);

  // Every output starts as an empty tensor of its own, which the loop fills tile by tile.
  SmallVector<Value> inits;
  for (Type type : nest.getResultTypes())
    inits.push_back(tensor::EmptyOp::create(b, loc, getAsOpFoldResult(extents),
                                            cast<RankedTensorType>(type).getElementType()));
  Value firstInSegment, inSegment;
  if (kept) {
    firstInSegment = arith::MulIOp::create(b, loc, segment, length);
    Value rest = arith::SubIOp::create(b, loc, keepsB ? tilesDown : tilesAcross, firstInSegment);
    inSegment = arith::MaxSIOp::create(b, loc, arith::MinSIOp::create(b, loc, rest, length), zero);
  }
  scf::ForOp outer = createLoop(share, kept ? "panel" : "tile", inits);
  Type indexType = b.getIndexType();
  auto walk = ir::WalkOp::create(b, loc, indexType, indexType, indexType, outer.getInductionVar(),
                                 block, batches, rows, columns, dealt);

  SmallVector<OpFoldResult> offsets(rank), sizes(rank), strides(rank, b.getIndexAttr(1));
  Value batch = walk.getBatch();
  for (size_t i = rank - std::min<size_t>(rank, 2); i-- > 0;) {
    offsets[i] = i == 0 ? batch : arith::RemSIOp::create(b, loc, batch, extents[i]).getResult();
    if (i > 0)
      batch = arith::DivSIOp::create(b, loc, batch, extents[i]);
    sizes[i] = b.getIndexAttr(1);
  }
  auto along = [&](size_t dim, Value which, Value tile) {
    Value start = arith::MulIOp::create(b, loc, which, tile);
    Value rest = arith::SubIOp::create(b, loc, extents[dim], start);
    offsets[dim] = start;
    sizes[dim] = arith::MinSIOp::create(b, loc, rest, tile).getResult();
  };
  if (rank > 1 && !keepsB)
    along(rank - 2, walk.getRow(), tileRows);
  if (!kept || keepsB)
    along(rank - 1, walk.getColumn(), tileColumns);
  if (parts)
    root = rootOfPart(cast<Value>(offsets[0]));
  OpFoldResult reduction;
  if (root.getNumReductionLoops() > 0)
    reduction = depth.empty() || parts
                    ? root.createLoopRanges(b, loc)[sum ? 0 : rank - !!parts].size
                    : OpFoldResult(dimValue(b, loc, depth));

  scf::ForOp loop = outer;
  if (kept) {
    loop = createLoop(inSegment, "tile", outer.getRegionIterArgs());
    // Lines start at different places, so that cores do not ask for the same panels at once.
    Value line = keepsB ? walk.getColumn() : walk.getRow();
    Value turned = arith::AddIOp::create(b, loc, loop.getInductionVar(), line);
    Value which = arith::AddIOp::create(b, loc, firstInSegment,
                                        arith::RemSIOp::create(b, loc, turned, inSegment));
    along(keepsB ? rank - 2 : rank - 1, which, keepsB ? tileRows : tileColumns);
  }
  loop->setAttr("mmk.tile", b.getDenseI64ArrayAttr({tileM, tileN}));

  SmallVector<OpFoldResult> rootOffsets(offsets), rootSizes(sizes);
  if (parts) {
    rootOffsets.erase(rootOffsets.begin());
    rootSizes.erase(rootSizes.begin());
  }
  if (reduction) {
    // Over the whole of it: the last dimension of a product, the first of a sum of parts.
    const unsigned at = sum ? 0 : rootOffsets.size();
    rootOffsets.insert(rootOffsets.begin() + at, b.getIndexAttr(0));
    rootSizes.insert(rootSizes.begin() + at, reduction);
  }
  FailureOr<TilingResult> tiled =
      cast<TilingInterface>(root.getOperation()).getTiledImplementation(b, rootOffsets, rootSizes);
  if (failed(tiled))
    return root.emitError("this operation cannot be tiled");
  if (!generic)
    tiledProduct = tiled->tiledValues[0];
  if (failed(fuseProducers(tiled->generatedSlices)))
    return failure();

  b.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> filled;
  for (auto [value, init] : llvm::zip(yield.getValues(), loop.getRegionIterArgs())) {
    Value tile = tiledProduct;
    for (auto [result, replacement] : llvm::zip(root->getResults(), tiled->tiledValues))
      if (result == value)
        tile = replacement;
    filled.push_back(
        tensor::InsertSliceOp::create(b, loc, tile, init, offsets, sizes, strides).getResult());
  }
  scf::YieldOp::create(b, loc, filled);
  if (loop != outer) {
    b.setInsertionPointToEnd(outer.getBody());
    scf::YieldOp::create(b, loc, loop.getResults());
  }
  yield.getValuesMutable().assign(outer.getResults());
  b.eraseOp(root);
  if (parts)
    b.eraseOp(parts);
  else if (generic && contract)
    b.eraseOp(contract);
  else if (generic && sum)
    b.eraseOp(sum);
  return success();
}

struct TileCoresPass : impl::TileCoresBase<TileCoresPass> {
  void runOnOperation() override {
    aicore::MachineAttr machine = expectMachine(getOperation());
    if (!machine)
      return signalPassFailure();
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      if (failed(checkDims(kernel)) || failed(checkNests(kernel)))
        return signalPassFailure();
      const SmallVector<StringRef> outputs = outputDims(kernel);
      for (ir::NestOp nest : kernel.getBody().getOps<ir::NestOp>())
        if (failed(NestTiling(kernel, nest, machine, outputs).run()))
          return signalPassFailure();
    }
  }
};

} // namespace
} // namespace mmk
