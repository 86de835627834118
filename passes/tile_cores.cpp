#include "backend/backend.h"
#include "passes/arithmetic.h"
#include "passes/chains/chain.h"
#include "passes/conditions/product_depth.h"
#include "passes/fuse_producers.h"
#include "passes/passes.h"
#include "passes/row_space.h"
#include "passes/rows/tile.h"
#include "passes/sizes/split_sum.h"
#include "passes/sizes/tile_order.h"
#include "passes/tile_rows.h"
#include "passes/variant.h"
#include "passes/windows/image_operand.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/TilingInterface.h"

#include <tuple>

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_TILECORES
#include "passes/Passes.h.inc"

namespace {

class GroupTiling {
public:
  /// `outputs` of the kernel are changed.
  GroupTiling(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine,
              ArrayRef<StringRef> outputs)
      : kernel(kernel), group(group), machine(machine), backend(backendOf(machine)),
        outputs(outputs), b(kernel.getContext()), loc(group.getLoc()) {}

  LogicalResult run();

private:
  LogicalResult findWork();
  linalg::LinalgOp root();
  linalg::LinalgOp rootOfSplit(Value split);
  int64_t tileOf(StringRef dim, int64_t otherwise);
  bool isTransposition();
  bool fits(StringRef dim);
  void chooseTile();
  ir::MappingAttr chooseMapping();
  void findKept();
  void countTiles();
  void findImages();
  SmallVector<Value> emptyOutputs();
  scf::ForOp createLoop(Value bound, ValueRange inits);
  scf::ForOp createLineLoop(TileLines<Arithmetic> lines, Value line, ValueRange inits);
  /// Tile number `which` along a dimension of the output.
  void along(size_t dim, Value which, Value tile);
  void placeTile(ir::TileCoordsOp coords);
  unsigned reductionOf(linalg::LinalgOp root);
  FailureOr<TilingResult> tileRoot(linalg::LinalgOp root, OpFoldResult reduction);
  void yieldTile(scf::ForOp loop, linalg::LinalgOp root, const TilingResult &tiled);
  void yieldRows(scf::ForOp loop, Value product);
  void eraseUntiled(linalg::LinalgOp root);
  bool keepsB() const { return kept == 1u; }
  int64_t rowsOfOutput();
  ir::YieldOp yield() { return cast<ir::YieldOp>(group.getBody().front().getTerminator()); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  ir::KernelOp kernel;
  ir::FusionGroupOp group;
  aicore::MachineAttr machine;
  const Backend &backend;
  ArrayRef<StringRef> outputs;
  IRRewriter b;
  Location loc;
  linalg::GenericOp generic;
  ir::RowsOp rows;                           ///< of a group that reduces the rows of its product
  SmallVector<linalg::ContractOp> contracts; ///< the group's anchors
  linalg::ContractOp contract;               ///< the first of them, or that of each split
  linalg::ReduceOp sum;                      ///< of the splits of a reduction
  scf::ForallOp splits;                      ///< that computes the splits
  SmallVector<StringRef> dims;               ///< of the output
  int64_t tileM = 1, tileN = 1;
  bool fitsM = false, fitsN = false; ///< these are maxima, and the shape decides
  std::optional<unsigned> kept;      ///< operand whose panel stays in L1 for a line of tiles
  DenseMap<Value, Value> tiledProducts;

  // Values of the fusion group: what its output is made of,
  Value block, one;
  Value batches;
  SmallVector<Value> extents; ///< of the output, with the number of splits in front
  size_t rank = 0;            ///< the number of extents
  int64_t rowsAt = -1;        ///< of the extents, that of the rows; -1: the output has one
  /// Of the extents, that of the pixels of several images, and the pixels of one: a tile is of one
  /// image, where a product reads windows of it. -1: none is.
  int64_t imagesAt = -1;
  Value pixelsOfImage;
  ir::MappingAttr mapping;
  Value tileRows, tileColumns, tilesDown, tilesAcross;
  // and the current tile in it.
  SmallVector<OpFoldResult> offsets, sizes;
};

/// Which dimension of the output the rows of a tile run along.
int64_t GroupTiling::rowsOfOutput() {
  return generic && !contract && !rows && !sum && !splits ? elementwiseRows(dims)
                                                          : static_cast<int64_t>(dims.size()) - 2;
}

int64_t GroupTiling::tileOf(StringRef dim, int64_t otherwise) {
  return kernel.chosenNumber(("tile." + dim).str(), otherwise);
}

/// Rows and columns of a tile that is transposed: of both, 128 bytes or more.
static constexpr int64_t transposedTile = 64;

/// Whether the group, one of a kernel with products, only copies a tensor of which another
/// dimension is the last.
bool GroupTiling::isTransposition() {
  if (!generic || contract || rows || sum || splits || !hasProduct(kernel) ||
      generic.getNumDpsInputs() != 1 || dims.size() < 2)
    return false;
  const AffineMap from = generic.getIndexingMapsArray()[0];
  return !ir::isGenerated(behindViews(generic.getDpsInputs()[0]).getDefiningOp()) &&
         from.isPermutation() &&
         from.getDimPosition(from.getNumResults() - 1) != from.getNumDims() - 1;
}

bool GroupTiling::fits(StringRef dim) {
  ir::ChoiceOp choice = kernel.choice(("tile." + dim).str());
  return choice && choice->hasAttr("fit");
}

// Dimensions with a name have their tiles from the schedule or from mmk-apply-variant; the numbers
// here are for literal ones.
void GroupTiling::chooseTile() {
  // The back end may make the tile smaller, so that all cores have some.
  if (sum) {
    tileM = sumRowsOfCore *
            (machine.getTopology() == aicore::Topology::split ? machine.getVectorCores() : 1);
    tileN = mostSumColumns;
    return;
  }
  ElementwiseTile literal = backend.literalElementwiseTile();
  if (contract) {
    const ProductTile product = backend.literalProductTile(machine, operandType(contract));
    literal = {product.m, product.n};
  }
  auto fitsLiteral = [&](StringRef dim) {
    return contract && backend.fitsLiteralTiles() && llvm::isDigit(dim.front());
  };
  // Rows and columns of a transposition are both pieces of memory, on one side. Tiles that are
  // fitted give all cores some.
  if (isTransposition() && !fits(dims.back()) && !fits(dims[rowsOfOutput()])) {
    tileM = tileN = transposedTile;
    if (machine.getTopology() == aicore::Topology::split)
      tileM *= machine.getVectorCores();
    return;
  }
  tileN = tileOf(dims.back(), literal.columns);
  // Rows that are reduced are whole.
  fitsN = !rows && (fits(dims.back()) || fitsLiteral(dims.back()));
  if (dims.size() > 1) {
    StringRef down = dims[rowsOfOutput()];
    tileM = tileOf(down, literal.rows);
    fitsM = fits(down) || fitsLiteral(down);
  }
  // Without a product in the kernel, the tile is one step of one vector core; a block has several,
  // and maps rows to them, or columns where there is only one row.
  if (!hasProduct(kernel) && machine.getTopology() == aicore::Topology::split)
    (dims.size() > 1 ? tileM : tileN) *= machine.getVectorCores();
}

ir::MappingAttr GroupTiling::chooseMapping() {
  const int64_t cores = kernel.chosenNumber("cores", 1);
  if (sum) // whichever cores have computed the splits
    return ir::MappingAttr::get(b.getContext(), ir::Order::rows, 1, cores, 0, 0, 1);
  StringRef word = kernel.chosenWord("order", "rows");
  int64_t width = 1;
  if (word.consume_front("swizzle(")) {
    word.consumeInteger(10, width);
    word = "swizzle";
  }
  auto order = ir::symbolizeOrder(word);
  // A dimension that is a reduction in another product may be split there, so tiles are mapped one
  // by one: there may be more splits than cores.
  auto grid = [&](StringRef dim) {
    return llvm::is_contained(outputs, dim) ? kernel.chosenNumber(("grid." + dim).str(), 1) : 1;
  };
  int64_t gridM = dims.size() > 1 ? grid(dims[rowsOfOutput()]) : 1;
  int64_t gridN = grid(dims.back()), gridK = 1;
  // 0 x 0 is "no grid": the tiles are mapped round-robin.
  if (gridM * gridN == 1)
    gridM = gridN = 0;
  else if (splits)
    gridK = kernel.chosenNumber(("grid." + productNames(contract).reduction).str(), 1);
  return ir::MappingAttr::get(b.getContext(), order.value_or(ir::Order::rows), width, cores, gridM,
                              gridN, gridK);
}

void GroupTiling::findKept() {
  if (contract && !sum)
    if (std::optional<KeptPanel> panel = keptPanel(kernel))
      kept = panel->operand;
}

scf::ForOp GroupTiling::createLoop(Value bound, ValueRange inits) {
  auto loop = scf::ForOp::create(b, loc, index(0), bound, index(1), inits);
  b.setInsertionPointToStart(loop.getBody());
  return loop;
}

LogicalResult GroupTiling::findWork() {
  if (group.getSpaceAttr() && !(rows = rowsToTile(group)))
    return failure();
  for (Operation &op : group.getBody().front()) {
    if (auto found = dyn_cast<linalg::GenericOp>(op); found && !rows)
      generic = found;
    if (auto found = dyn_cast<linalg::ContractOp>(op))
      contracts.push_back(found);
    if (auto found = dyn_cast<linalg::ReduceOp>(op))
      sum = found;
    if (auto found = dyn_cast<scf::ForallOp>(op))
      splits = found;
  }
  if (!contracts.empty())
    contract = contracts[0];
  if (contracts.size() > 1 && !generic)
    return contracts[1].emitOpError(
        "is a second product of a fusion group without an elementwise operation on both");
  for (linalg::ContractOp anchor : contracts)
    for (Value operand : anchor->getOperands())
      if (operand.getDefiningOp<linalg::ContractOp>())
        return anchor.emitOpError("takes another product of its fusion group, which is computed "
                                  "tile by tile beside it");
  if (splits)
    for (auto found : splits.getBody()->getOps<linalg::ContractOp>())
      contract = found;
  if (!generic && !contract && !sum)
    return group.emitOpError("expected a product or an elementwise operation on whole tensors");
  for (Value value : group.getBody().front().getTerminator()->getOperands())
    if (!rows &&
        !isa_and_nonnull<linalg::GenericOp, linalg::ContractOp, linalg::ReduceOp, scf::ForallOp>(
            value.getDefiningOp()))
      return group.emitOpError("expected to yield results of its product or elementwise operation");
  return success();
}

/// The root of the fusion group: the other ops compute its operands.
linalg::LinalgOp GroupTiling::root() {
  if (generic)
    return cast<linalg::LinalgOp>(*generic);
  return sum ? cast<linalg::LinalgOp>(*sum) : cast<linalg::LinalgOp>(*contract);
}

/// The product over one split of the reduction, on its own slices of the operands.
linalg::LinalgOp GroupTiling::rootOfSplit(Value split) {
  IRMapping map;
  map.map(splits.getInductionVar(0), split);
  for (Operation &op : splits.getBody()->without_terminator())
    b.clone(op, map);
  return map.lookup(contract.getResult(0)).getDefiningOp<linalg::LinalgOp>();
}

void GroupTiling::findImages() {
  std::optional<ImageOperand> image =
      contract ? imageOperand(contract) : std::optional<ImageOperand>();
  if (!image || !image->images)
    return;
  imagesAt = rowsAt;
  for (int64_t dim : ArrayRef(image->pixels).drop_front()) {
    Value extent = dimValue(b, loc, image->nameOf(dim));
    pixelsOfImage =
        pixelsOfImage ? arith::MulIOp::create(b, loc, pixelsOfImage, extent).getResult() : extent;
  }
}

void GroupTiling::countTiles() {
  batches = index(1);
  one = index(1);
  // Splits of a reduction are mapped like batches of the output.
  if (splits)
    extents.push_back(splits.getDynamicUpperBound()[0]);
  for (StringRef dim : dims)
    extents.push_back(dimValue(b, loc, dim));
  rank = extents.size();
  rowsAt = rank == dims.size() ? rowsOfOutput() : static_cast<int64_t>(rank) - 2;
  for (size_t i = 0; i + 1 < rank; ++i)
    if (static_cast<int64_t>(i) != rowsAt)
      batches = arith::MulIOp::create(b, loc, batches, extents[i]);
  mapping = chooseMapping();
  const FittedOutput output = {batches, rowsAt >= 0 ? extents[rowsAt] : one, extents[rank - 1],
                               mapping.getCores()};
  FittedTile largest;
  largest.largestRows = tileM;
  largest.largestColumns = tileN;
  largest.fitsRows = fitsM;
  largest.fitsColumns = fitsN;
  largest.isProduct = contract != nullptr;
  largest.isElementwise = generic && !contract;
  largest.isSum = sum != nullptr;
  largest.depth = contract ? dimValue(b, loc, productNames(contract).reduction) : one;
  if (contract)
    largest.bytes = operandType(contract).getIntOrFloatBitWidth() / 8;
  std::tie(tileRows, tileColumns) = backend.fitTile(b, loc, machine, output, largest);
  findImages();
  auto tiles = [&](int64_t dim, Value tile) -> Value {
    if (dim != imagesAt)
      return arith::CeilDivSIOp::create(b, loc, extents[dim], tile);
    Value images = arith::DivSIOp::create(b, loc, extents[dim], pixelsOfImage);
    Value ofImage = arith::CeilDivSIOp::create(b, loc, pixelsOfImage, tile);
    return arith::MulIOp::create(b, loc, images, ofImage);
  };
  tilesDown = rowsAt >= 0 ? tiles(rowsAt, tileRows) : one;
  tilesAcross = tiles(static_cast<int64_t>(rank) - 1, tileColumns);
}

// Every output starts as an empty tensor of its own, which the loop fills tile by tile.
SmallVector<Value> GroupTiling::emptyOutputs() {
  SmallVector<Value> empty;
  if (rows) {
    for (Value result : yield().getValues())
      empty.push_back(emptyResult(b, cast<OpResult>(result), extents));
    return empty;
  }
  for (Type type : group.getResultTypes())
    empty.push_back(tensor::EmptyOp::create(b, loc, getAsOpFoldResult(extents),
                                            cast<RankedTensorType>(type).getElementType()));
  return empty;
}

void GroupTiling::along(size_t dim, Value which, Value tile) {
  Value extent = extents[dim], before;
  if (static_cast<int64_t>(dim) == imagesAt) {
    Value ofImage = arith::CeilDivSIOp::create(b, loc, pixelsOfImage, tile);
    before = arith::MulIOp::create(b, loc, arith::DivSIOp::create(b, loc, which, ofImage),
                                   pixelsOfImage);
    which = arith::RemSIOp::create(b, loc, which, ofImage);
    extent = pixelsOfImage;
  }
  Value start = arith::MulIOp::create(b, loc, which, tile);
  Value rest = arith::SubIOp::create(b, loc, extent, start);
  offsets[dim] = before ? arith::AddIOp::create(b, loc, before, start).getResult() : start;
  sizes[dim] = arith::MinSIOp::create(b, loc, rest, tile).getResult();
}

// A step of the loop is a tile, or a line of tiles whose start is not yet known.
void GroupTiling::placeTile(ir::TileCoordsOp coords) {
  offsets.resize(rank);
  sizes.resize(rank);
  Value batch = coords.getBatch();
  const size_t outermost = rowsAt == 0 ? 1 : 0;
  for (size_t i = rank - 1; i-- > outermost;) {
    if (static_cast<int64_t>(i) == rowsAt)
      continue;
    const bool isLast = i == outermost;
    offsets[i] = isLast ? batch : arith::RemSIOp::create(b, loc, batch, extents[i]).getResult();
    if (!isLast)
      batch = arith::DivSIOp::create(b, loc, batch, extents[i]);
    sizes[i] = b.getIndexAttr(1);
  }
  if (rowsAt >= 0 && !keepsB())
    along(rowsAt, coords.getRow(), tileRows);
  if (!kept || keepsB())
    along(rank - 1, coords.getColumn(), tileColumns);
}

// The tiles of the block's segment of a line.
scf::ForOp GroupTiling::createLineLoop(TileLines<Arithmetic> lines, Value line, ValueRange inits) {
  scf::ForOp loop = createLoop(lines.count, inits);
  Value which = lines.tileAt(loop.getInductionVar(), line);
  along(keepsB() ? rowsAt : rank - 1, which, keepsB() ? tileRows : tileColumns);
  return loop;
}

/// The loop that the root reduces over.
unsigned GroupTiling::reductionOf(linalg::LinalgOp root) {
  SmallVector<unsigned> loops;
  root.getReductionDims(loops);
  return loops[0];
}

// `reduction`: the extent that the root reduces over, or null.
FailureOr<TilingResult> GroupTiling::tileRoot(linalg::LinalgOp root, OpFoldResult reduction) {
  SmallVector<OpFoldResult> rootOffsets(offsets), rootSizes(sizes);
  if (splits) {
    rootOffsets.erase(rootOffsets.begin());
    rootSizes.erase(rootSizes.begin());
  }
  if (reduction) {
    // The loop over the whole extent.
    const unsigned at = reductionOf(root);
    rootOffsets.insert(rootOffsets.begin() + at, b.getIndexAttr(0));
    rootSizes.insert(rootSizes.begin() + at, reduction);
  }
  FailureOr<TilingResult> tiled =
      cast<TilingInterface>(root.getOperation()).getTiledImplementation(b, rootOffsets, rootSizes);
  if (failed(tiled))
    return root.emitError("this operation cannot be tiled");
  if (failed(fuseProducers(b, tiled->generatedSlices, tiledProducts)))
    return failure();
  return tiled;
}

/// The same of the rows of a product, of which this is the tile.
void GroupTiling::yieldRows(scf::ForOp loop, Value product) {
  ir::RowsOp tile = tileOfRows(b, rows, offsets, sizes, {{contract.getResult(0), product}});
  SmallVector<Value> filled;
  for (auto [value, into] : llvm::zip(yield().getValues(), loop.getRegionIterArgs()))
    filled.push_back(insertTile(b, tile->getResult(cast<OpResult>(value).getResultNumber()), into,
                                offsets, sizes));
  scf::YieldOp::create(b, loc, filled);
}

// At the end of the loop over tiles: inserts each into its output.
void GroupTiling::yieldTile(scf::ForOp loop, linalg::LinalgOp root, const TilingResult &tiled) {
  b.setInsertionPointToEnd(loop.getBody());
  if (rows)
    return yieldRows(loop, tiled.tiledValues[0]);
  const SmallVector<OpFoldResult> strides(rank, b.getIndexAttr(1));
  SmallVector<Value> filled;
  for (auto [value, init] : llvm::zip(yield().getValues(), loop.getRegionIterArgs())) {
    Value tile = generic ? tiledProducts.lookup(value) : tiled.tiledValues[0];
    for (auto [result, replacement] : llvm::zip(root->getResults(), tiled.tiledValues))
      if (result == value)
        tile = replacement;
    filled.push_back(
        tensor::InsertSliceOp::create(b, loc, tile, init, offsets, sizes, strides).getResult());
  }
  scf::YieldOp::create(b, loc, filled);
}

LogicalResult GroupTiling::run() {
  if (failed(findWork()))
    return failure();
  linalg::LinalgOp root = this->root();
  for (int64_t i = 0; i < cast<RankedTensorType>(root->getResult(0).getType()).getRank(); ++i)
    dims.push_back(dimName(root->getResult(0), i));
  chooseTile();

  b.setInsertionPoint(yield());
  block = group.getBody().getArgument(0);
  countTiles();
  findKept();
  const Arithmetic a{b, loc};
  const auto lines =
      kept ? TileLines<Arithmetic>(a, block, tilesDown, tilesAcross, keepsB(), mapping)
           : TileLines<Arithmetic>(a, tilesDown, tilesAcross);
  Value share = ir::TileCountOp::create(b, loc, b.getIndexType(), block, batches, lines.rows,
                                        lines.columns, mapping);
  const SmallVector<Value> inits = emptyOutputs();
  scf::ForOp outer = createLoop(share, inits);
  Type indexType = b.getIndexType();
  auto coords =
      ir::TileCoordsOp::create(b, loc, indexType, indexType, indexType, outer.getInductionVar(),
                               block, batches, lines.rows, lines.columns, mapping);
  placeTile(coords);
  if (splits)
    root = rootOfSplit(cast<Value>(offsets[0]));
  OpFoldResult reduction;
  if (root.getNumReductionLoops() > 0)
    reduction = sum || splits ? root.createLoopRanges(b, loc)[reductionOf(root)].size
                              : OpFoldResult(dimValue(b, loc, productNames(contract).reduction));
  scf::ForOp loop = outer;
  if (kept)
    loop = createLineLoop(lines, keepsB() ? coords.getColumn() : coords.getRow(),
                          outer.getRegionIterArgs());
  group.setTile(ArrayRef<int64_t>{tileM, tileN});

  FailureOr<TilingResult> tiled = tileRoot(root, reduction);
  if (failed(tiled))
    return failure();
  yieldTile(loop, root, *tiled);
  if (loop != outer) {
    b.setInsertionPointToEnd(outer.getBody());
    scf::YieldOp::create(b, loc, loop.getResults());
  }
  yield().getValuesMutable().assign(outer.getResults());
  eraseUntiled(root);
  return success();
}

void GroupTiling::eraseUntiled(linalg::LinalgOp root) {
  if (rows)
    b.eraseOp(rows);
  b.eraseOp(root);
  if (splits)
    b.eraseOp(splits);
  else if (generic && contract)
    for (linalg::ContractOp anchor : contracts)
      b.eraseOp(anchor);
  else if (generic && sum)
    b.eraseOp(sum);
  if (rows)
    mergeSlices(b, group);
}

LogicalResult tileGroup(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine,
                        ArrayRef<StringRef> outputs) {
  if (Chain::of(group))
    return tileChain(kernel, group, machine);
  if (group.getSpaceAttr() && group.getBody().getOps<linalg::ContractOp>().empty())
    return tileRows(kernel, group, machine);
  return GroupTiling(kernel, group, machine, outputs).run();
}

struct TileCoresPass : impl::TileCoresBase<TileCoresPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    TileCoresBase::getDependentDialects(registry);
    registerBackendDialects(registry); // a fitted tile may use operations of a back end
  }

  void runOnOperation() override {
    aicore::MachineAttr machine = expectMachine(getOperation());
    if (!machine)
      return signalPassFailure();
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      if (failed(checkDims(kernel)) || failed(checkGroups(kernel)))
        return signalPassFailure();
      // The grid of a reduced dimension is a number of parts, not of cores.
      SmallVector<StringRef> outputs = outputDims(kernel);
      const SmallVector<StringRef> divided = dividedDims(kernel);
      llvm::erase_if(outputs, [&](StringRef dim) { return llvm::is_contained(divided, dim); });
      ProductDepths depths(kernel, machine);
      for (ir::FusionGroupOp group : kernel.getBody().getOps<ir::FusionGroupOp>()) {
        if (failed(tileGroup(kernel, group, machine, outputs)))
          return signalPassFailure();
        depths.cut(group);
      }
    }
  }
};

} // namespace
} // namespace mmk
