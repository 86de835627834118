#include "cpu/dialect.h"

#include "ir/instructions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/OpImplementation.h"

#include <utility>

using namespace mlir;

//===--- assembly -------------------------------------------------------------------------===//

using Operands = SmallVectorImpl<OpAsmParser::UnresolvedOperand>;

// Tensors in global memory, each with its offsets and the dimensions that a tile runs along:
// `%bias[%n] along [-1, 0], %r[%m, %n] along [0, 1] : types`. The offsets of all stand in one list.
static ParseResult parseGlobalViews(OpAsmParser &parser, Operands &tensors, Operands &offsets,
                                    DenseI64ArrayAttr &along, SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> dims;
  OpAsmParser::UnresolvedOperand tensor;
  OptionalParseResult any = parser.parseOptionalOperand(tensor);
  while (any.has_value()) {
    auto parseDim = [&] { return parser.parseInteger(dims.emplace_back()); };
    if (failed(*any) || parser.parseOperandList(offsets, OpAsmParser::Delimiter::Square) ||
        parser.parseKeyword("along") ||
        parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseDim))
      return failure();
    tensors.push_back(tensor);
    if (failed(parser.parseOptionalComma()))
      break;
    any = parser.parseOperand(tensor);
  }
  along = parser.getBuilder().getDenseI64ArrayAttr(dims);
  return tensors.empty() ? success() : parser.parseColonTypeList(types);
}

static void printGlobalViews(OpAsmPrinter &printer, Operation *, OperandRange tensors,
                             OperandRange offsets, DenseI64ArrayAttr along, TypeRange types) {
  llvm::ListSeparator separator;
  mmk::cpu::forEachView(tensors, offsets, along, [&](Value tensor, auto own, auto dims) {
    printer << StringRef(separator) << tensor << '[';
    llvm::interleaveComma(own, printer);
    printer << "] along [";
    llvm::interleaveComma(dims, printer);
    printer << ']';
  });
  if (!tensors.empty())
    printer << " : " << types;
}

static ParseResult parseReduceKind(OpAsmParser &parser, mmk::aicore::ReduceKindAttr &kind) {
  StringRef word;
  const SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  const std::optional<mmk::aicore::ReduceKind> known = mmk::aicore::symbolizeReduceKind(word);
  if (!known)
    return parser.emitError(place) << word << " is no kind of reduction";
  kind = mmk::aicore::ReduceKindAttr::get(parser.getContext(), *known);
  return success();
}

static void printReduceKind(OpAsmPrinter &printer, Operation *, mmk::aicore::ReduceKindAttr kind) {
  printer << mmk::aicore::stringifyReduceKind(kind.getValue());
}

#include "cpu/CpuDialect.cpp.inc"
#define GET_OP_CLASSES
#include "cpu/CpuOps.cpp.inc"

namespace mmk::cpu {

using namespace aicore;

void CpuDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "cpu/CpuOps.cpp.inc"
      >();
}

int64_t ThreadsOp::getLargest() { return (*this)->getParentOfType<KernelOp>().getCores(); }

//===--- what operations touch ------------------------------------------------------------===//

// A CPU counts as one pipe; its scratch is used by one operation only.
static SmallVector<Access> accessesOf(ArrayRef<GlobalTile> tiles) {
  SmallVector<Access> accesses;
  for (const GlobalTile &tile : tiles)
    accesses.push_back(tile.writes ? writing(tile.tensor) : reading(tile.tensor));
  return accesses;
}

static GlobalTile tileOf(Value tensor, MutableOperandRange offsets, ArrayRef<int64_t> along,
                         OpOperand &rows, OpOperand &columns) {
  return {tensor, offsets, {along[0], along[1]}, &rows, &columns, /*writes=*/false};
}

/// The accesses of inputs or outputs. A tensor that does not vary along rows or columns has one
/// element for all of them.
static void addTiles(SmallVectorImpl<GlobalTile> &tiles, OperandRange tensors,
                     MutableOperandRange offsets, ArrayRef<int64_t> along, OpOperand &rows,
                     OpOperand &columns, bool writes) {
  forEachView(tensors, offsets, along, [&](Value tensor, auto own, auto dims) {
    tiles.push_back({tensor,
                     own,
                     {dims[0], dims[1]},
                     dims[0] < 0 ? nullptr : &rows,
                     dims[1] < 0 ? nullptr : &columns,
                     writes});
  });
}

SmallVector<GlobalTile> ProductOp::getTiles() {
  OpOperand &m = getMMutable(), &n = getNMutable(), &k = getKMutable();
  SmallVector<GlobalTile> tiles;
  tiles.push_back(tileOf(getA(), getAOffsetsMutable(), getAAlong(), m, k));
  tiles.push_back(tileOf(getB(), getBOffsetsMutable(), getBAlong(), k, n));
  addTiles(tiles, getInputs(), getInputOffsetsMutable(), getInputAlong(), m, n, false);
  addTiles(tiles, getOutputs(), getOutputOffsetsMutable(), getOutputAlong(), m, n, true);
  return tiles;
}

SmallVector<GlobalTile> ElementwiseOp::getTiles() {
  OpOperand &m = getMMutable(), &n = getNMutable();
  SmallVector<GlobalTile> tiles;
  addTiles(tiles, getInputs(), getInputOffsetsMutable(), getInputAlong(), m, n, false);
  addTiles(tiles, getOutputs(), getOutputOffsetsMutable(), getOutputAlong(), m, n, true);
  return tiles;
}

/// The dimensions of a space as those of a tile: the last two, and the others outside of them.
static void addSpaceTiles(SmallVectorImpl<GlobalTile> &tiles, OperandRange tensors,
                          MutableOperandRange offsets, ArrayRef<int64_t> along,
                          MutableOperandRange sizes, bool writes) {
  const size_t dims = sizes.size();
  forEachView(tensors, offsets, along, [&](Value tensor, auto own, auto ofTensor) {
    GlobalTile tile = {tensor, own, {-1, -1}, nullptr, nullptr, writes};
    for (auto [dim, along] : llvm::enumerate(ofTensor)) {
      if (along < 0)
        continue;
      if (dim + 2 < dims)
        tile.outer.push_back({along, &sizes[dim]});
      else if (dim + 2 == dims)
        tile.along[0] = along, tile.rows = &sizes[dim];
      else
        tile.along[1] = along, tile.columns = &sizes[dim];
    }
    tiles.push_back(tile);
  });
}

/// Of an operation on sizes of a space: what it reads, then what it writes.
template <typename Op> static SmallVector<GlobalTile> spaceTilesOf(Op op) {
  SmallVector<GlobalTile> tiles;
  addSpaceTiles(tiles, op.getInputs(), op.getInputOffsetsMutable(), op.getInputAlong(),
                op.getSizesMutable(), false);
  addSpaceTiles(tiles, op.getOutputs(), op.getOutputOffsetsMutable(), op.getOutputAlong(),
                op.getSizesMutable(), true);
  return tiles;
}

/// Matrices of products, each with extents of its own.
static void addMatrices(SmallVectorImpl<GlobalTile> &tiles, OperandRange tensors,
                        MutableOperandRange offsets, ArrayRef<int64_t> along,
                        llvm::function_ref<OpOperand &(size_t)> rows,
                        llvm::function_ref<OpOperand &(size_t)> columns) {
  size_t i = 0;
  forEachView(tensors, offsets, along, [&](Value tensor, auto own, auto dims) {
    tiles.push_back(tileOf(tensor, own, dims, rows(i), columns(i)));
    ++i;
  });
}

static ChainOp::Own ownOf(ChainOp op, unsigned product,
                          llvm::function_ref<size_t(Block &)> countIn) {
  ChainOp::Own own = {0, 0};
  for (unsigned i = 0; i <= product; ++i) {
    own.first += own.count;
    own.count = countIn(op.getEpilogues()[i].front());
  }
  return own;
}
ChainOp::Own ChainOp::behindOf(unsigned product) {
  return ownOf(*this, product, [](Block &region) { return region.getNumArguments() - 1; });
}
ChainOp::Own ChainOp::resultsOf(unsigned product) {
  return ownOf(*this, product,
               [](Block &region) { return region.getTerminator()->getNumOperands(); });
}

SmallVector<GlobalTile> ChainOp::getTiles() {
  OpOperand &m = getMMutable(), &n = getNMutable();
  const auto depth = [&](size_t i) -> OpOperand & { return getDepthsMutable()[i]; };
  const auto column = [&](size_t i) -> OpOperand & { return getColumnsMutable()[i]; };
  const auto rows = [&](size_t) -> OpOperand & { return m; };
  const auto inner = [&](size_t) -> OpOperand & { return n; };
  SmallVector<GlobalTile> tiles;
  addMatrices(tiles, getA(), getAOffsetsMutable(), getAAlong(), rows, depth);
  addMatrices(tiles, getB(), getBOffsetsMutable(), getBAlong(), depth, inner);
  addMatrices(tiles, getV(), getVOffsetsMutable(), getVAlong(), inner, column);
  addTiles(tiles, getInputs(), getInputOffsetsMutable(), getInputAlong(), m, n, false);
  addTiles(tiles, getOutputs(), getOutputOffsetsMutable(), getOutputAlong(), m, n, true);
  const auto addOwn = [&](OperandRange tensors, MutableOperandRange offsets,
                          ArrayRef<int64_t> along, Own own, OpOperand &columns, bool writes) {
    const auto rankOf = [](Value tensor) { return cast<MemRefType>(tensor.getType()).getRank(); };
    unsigned first = 0;
    for (Value tensor : tensors.take_front(own.first))
      first += rankOf(tensor);
    addTiles(tiles, tensors.slice(own.first, own.count),
             offsets.slice(first, offsets.size() - first),
             along.slice(2 * own.first, 2 * own.count), m, columns, writes);
  };
  for (unsigned i = 0; i < getV().size(); ++i) {
    addOwn(getBehind(), getBehindOffsetsMutable(), getBehindAlong(), behindOf(i), column(i), false);
    addOwn(getProducts(), getProductOffsetsMutable(), getProductAlong(), resultsOf(i), column(i),
           true);
  }
  return tiles;
}

SmallVector<GlobalTile> RowsOp::getTiles() { return spaceTilesOf(*this); }
SmallVector<GlobalTile> CumulateOp::getTiles() { return spaceTilesOf(*this); }

#define MMK_CPU_INSTRUCTION(OP)                                                                    \
  MMK_EFFECTS(OP)                                                                                  \
  aicore::Pipe OP::getPipe() { return aicore::Pipe::vector; }
MMK_CPU_INSTRUCTION(ProductOp)
MMK_CPU_INSTRUCTION(ElementwiseOp)
MMK_CPU_INSTRUCTION(RowsOp)
MMK_CPU_INSTRUCTION(ChainOp)
MMK_CPU_INSTRUCTION(CumulateOp)

SmallVector<Access> ProductOp::getAccesses() { return accessesOf(getTiles()); }
SmallVector<Access> ElementwiseOp::getAccesses() { return accessesOf(getTiles()); }
SmallVector<Access> RowsOp::getAccesses() { return accessesOf(getTiles()); }
SmallVector<Access> CumulateOp::getAccesses() { return accessesOf(getTiles()); }
// Also of one whose lists do not fit each other: its verifier comes later.
SmallVector<Access> ChainOp::getAccesses() {
  SmallVector<Access> accesses;
  for (OperandRange tensors : {getA(), getB(), getV(), getInputs(), getBehind()})
    for (Value tensor : tensors)
      accesses.push_back(reading(tensor));
  for (OperandRange tensors : {getOutputs(), getProducts()})
    for (Value tensor : tensors)
      accesses.push_back(writing(tensor));
  return accesses;
}

//===--- verifiers ------------------------------------------------------------------------===//

/// The tensors of a space of so many dimensions; two are rows and columns.
static LogicalResult expectViews(Operation *op, OperandRange tensors, OperandRange offsets,
                                 ArrayRef<int64_t> along, size_t dims = 2) {
  if (along.size() != dims * tensors.size())
    return op->emitOpError("expected a dimension along each of its ")
           << dims << " sizes for each of its " << tensors.size() << " tensors, found "
           << along.size();
  for (Value tensor : tensors) {
    const size_t rank = cast<MemRefType>(tensor.getType()).getRank();
    if (offsets.size() < rank)
      return op->emitOpError("expected ") << rank << " offsets, found " << offsets.size();
    if (failed(expectSpace(op, "tensors", tensor, {Space::gm})))
      return failure();
    SmallVector<bool> taken(rank, false);
    for (int64_t dim : along.take_front(dims)) {
      if (dim < -1 || dim >= static_cast<int64_t>(rank))
        return op->emitOpError("along names dimension ") << dim << " of a tensor of rank " << rank;
      if (dim >= 0 && std::exchange(taken[dim], true))
        return op->emitOpError("two sizes run along dimension ") << dim << " of a tensor";
    }
    offsets = offsets.drop_front(rank);
    along = along.drop_front(dims);
  }
  if (!offsets.empty())
    return op->emitOpError("found ") << offsets.size() << " offsets too many";
  return success();
}

/// A region of an operation on tiles: `more` of its arguments come from no tensor, and `before` of
/// the elements that it yields are of no output.
static LogicalResult verifyRegion(Operation *op, Block &block, OperandRange inputs,
                                  OperandRange outputs, size_t more, size_t before = 0) {
  if (block.getNumArguments() != inputs.size() + more)
    return op->emitOpError("expected ")
           << inputs.size() + more << " elements in its region, found " << block.getNumArguments();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().size() != outputs.size() + before)
    return op->emitOpError("expected to yield one element for each of its ")
           << outputs.size() << " outputs" << (before ? ", behind those of its rows" : "");
  for (auto [value, output] : llvm::zip(yield.getValues().drop_front(before), outputs))
    if (value.getType() != cast<MemRefType>(output.getType()).getElementType())
      return op->emitOpError("expected to yield elements of the type of their tensors, found ")
             << value.getType() << " for " << output.getType();
  return success();
}

template <typename Op> static LogicalResult verifyBody(Op op, size_t more) {
  return verifyRegion(op, op.getBody().front(), op.getInputs(), op.getOutputs(), more);
}

/// The inputs and outputs of an operation on a space of so many dimensions.
template <typename Op> static LogicalResult expectTensors(Op op, size_t dims = 2) {
  return success(
      succeeded(expectViews(op, op.getInputs(), op.getInputOffsets(), op.getInputAlong(), dims)) &&
      succeeded(
          expectViews(op, op.getOutputs(), op.getOutputOffsets(), op.getOutputAlong(), dims)));
}

/// Tensors and region of an operation; `more` arguments come from no tensor.
template <typename Op> static LogicalResult verifyTileOp(Op op, size_t more) {
  return failed(expectTensors(op)) ? failure() : verifyBody(op, more);
}

static LogicalResult verifyWindow(ProductOp op) {
  const bool runsAlong = op.getAAlong()[0] >= 0 && op.getBAlong()[0] >= 0;
  if (!op.getWindow())
    return runsAlong ? success() : op.emitOpError("expected A and B to run along its rows");
  const ArrayRef<int64_t> digits = op.getWindowDigits().value_or(ArrayRef<int64_t>());
  const AffineMap map = *op.getWindow();
  Value tensor = op.isWindowOfA() ? op.getA() : op.getB();
  const auto rank = static_cast<unsigned>(cast<MemRefType>(tensor.getType()).getRank());
  if (runsAlong)
    return op.emitOpError("expected the tensor of its window to run along no size");
  if (digits.size() != 2 || digits[0] + digits[1] != map.getNumDims() ||
      map.getNumResults() != rank || op.getWindowOperands().size() != map.getNumInputs() + 2)
    return op.emitOpError("expected a window of ")
           << map.getNumDims() << " digits, " << map.getNumInputs() + 2 << " operands and " << rank
           << " indices";
  return success();
}

LogicalResult ProductOp::verify() {
  if (failed(expectSpace(*this, "A", getA(), {Space::gm})) ||
      failed(expectSpace(*this, "B", getB(), {Space::gm})) ||
      failed(expectAlong(*this, getA(), getAOffsets(), getAAlong())) ||
      failed(expectAlong(*this, getB(), getBOffsets(), getBAlong())) ||
      failed(expectSameElements(*this, getA(), getB())) ||
      failed(expectBuffer(*this, "the scratch of A", getAScratch(), {Space::l0a})) ||
      failed(expectBuffer(*this, "the scratch of B", getBScratch(), {Space::l0b})) ||
      failed(expectBuffer(*this, "the accumulator", getAcc(), {Space::l0c})))
    return failure();
  if (getStepAttr().getInt() < 1)
    return emitOpError("expected a positive step, found ") << getStepAttr().getInt();
  if (failed(verifyWindow(*this)))
    return failure();
  return verifyTileOp(*this, /*more=*/1);
}

/// The regions behind the products of a chain, and how many tensors these have together.
static LogicalResult verifyEpilogues(ChainOp op) {
  size_t behind = 0, results = 0;
  for (Region &region : op.getEpilogues()) {
    if (region.front().getNumArguments() == 0)
      return op.emitOpError("expected each region behind a product to take an element of that");
    behind += region.front().getNumArguments() - 1;
    results += region.front().getTerminator()->getNumOperands();
  }
  if (behind != op.getBehind().size() || results != op.getProducts().size())
    return op.emitOpError("expected regions behind its products that take ")
           << op.getBehind().size() << " inputs and yield " << op.getProducts().size()
           << " results, found " << behind << " and " << results;
  for (auto [i, region] : llvm::enumerate(op.getEpilogues())) {
    const ChainOp::Own behind = op.behindOf(i), results = op.resultsOf(i);
    if (failed(verifyRegion(op, region.front(), op.getBehind().slice(behind.first, behind.count),
                            op.getProducts().slice(results.first, results.count), /*more=*/1)))
      return failure();
  }
  return success();
}

LogicalResult ChainOp::verify() {
  if (getA().empty() || getA().size() != getB().size() || getA().size() != getDepths().size())
    return emitOpError("expected as many A as B and depths, found ")
           << getA().size() << ", " << getB().size() << " and " << getDepths().size();
  if (getV().empty() || getV().size() != getColumns().size() ||
      getV().size() != getEpilogues().size())
    return emitOpError("expected as many V as columns and regions behind them, found ")
           << getV().size() << ", " << getColumns().size() << " and " << getEpilogues().size();
  if (failed(expectViews(*this, getA(), getAOffsets(), getAAlong())) ||
      failed(expectViews(*this, getB(), getBOffsets(), getBAlong())) ||
      failed(expectViews(*this, getV(), getVOffsets(), getVAlong())) ||
      failed(expectTensors(*this)) ||
      failed(expectViews(*this, getBehind(), getBehindOffsets(), getBehindAlong())) ||
      failed(expectViews(*this, getProducts(), getProductOffsets(), getProductAlong())) ||
      failed(expectBuffer(*this, "the scratch", getScratch(), {Space::ub})))
    return failure();
  for (auto [a, b] : llvm::zip(getA(), getB()))
    if (failed(expectSameElements(*this, a, b)))
      return failure();
  for (size_t i = 0; i < getOutputs().size(); ++i)
    if (getOutputAlong()[2 * i + 1] >= 0)
      return emitOpError("expected outputs with one element for each row");
  if (failed(verifyRegion(*this, getBody().front(), getInputs(), getOutputs(),
                          /*more=*/getA().size(), firstOutput())) ||
      failed(verifyEpilogues(*this)))
    return failure();
  for (auto [i, tensor] : llvm::enumerate(getV())) {
    if (yielded(i, weight).getType() != cast<MemRefType>(tensor.getType()).getElementType())
      return emitOpError("expected weights of the type of ") << tensor.getType();
    if (!yielded(i, ratio).getType().isF32() || !yielded(i, factor).getType().isF32())
      return emitOpError("expected ratio and factor to be f32");
  }
  return success();
}

LogicalResult ElementwiseOp::verify() { return verifyTileOp(*this, /*more=*/0); }

LogicalResult RowsOp::verify() {
  const size_t dims = getSizes().size();
  SmallVector<bool> reduced(dims, false);
  for (int64_t dim : getReduced()) {
    if (dim < 0 || dim >= static_cast<int64_t>(dims))
      return emitOpError("reduces size ") << dim << " of " << dims;
    reduced[dim] = true;
  }
  if (getReduced().empty())
    return emitOpError("expected to reduce one of its sizes");
  if (failed(expectTensors(*this, dims)) ||
      failed(expectBuffer(*this, "the scratch", getScratch(), {Space::ub})))
    return failure();
  return verifyBody(*this, /*more=*/0);
}

LogicalResult CumulateOp::verify() {
  const size_t dims = getSizes().size();
  const int64_t summed = getSummedAttr().getInt();
  if (summed < 0 || summed >= static_cast<int64_t>(dims))
    return emitOpError("sums along size ") << summed << " of " << dims;
  if (getInputs().empty() || getInputs().size() > 2 || getOutputs().size() != 1)
    return emitOpError("expected one input, or two, and one output, found ")
           << getInputs().size() << " and " << getOutputs().size();
  if (failed(expectTensors(*this, dims)) ||
      failed(expectBuffer(*this, "the scratch", getScratch(), {Space::ub})))
    return failure();
  const Type element = cast<MemRefType>(getOutputs()[0].getType()).getElementType();
  for (Value input : getInputs())
    if (cast<MemRefType>(input.getType()).getElementType() != element)
      return emitOpError("expected elements of one type, found ")
             << input.getType() << " and " << getOutputs()[0].getType();
  if (!element.isF32() && !element.isInteger(32))
    return emitOpError("sums f32 and i32, not ") << element;
  if (getInputs().size() > 1 && getInputAlong()[dims + summed] >= 0)
    return emitOpError("expected sums before the first element that do not vary along size ")
           << summed;
  return success();
}

/// The sizes of the operation on a tile around an element.
static size_t sizesAround(Operation *element) {
  auto rows = dyn_cast<RowsOp>(element->getParentOp());
  return rows ? rows.getSizes().size() : 2;
}

LogicalResult PositionOp::verify() {
  const size_t sizes = sizesAround(*this);
  if (const int64_t size = getSizeAttr().getInt(); size < 0 || size >= static_cast<int64_t>(sizes))
    return emitOpError("is one along size ") << size << " of " << sizes;
  return success();
}

static LogicalResult verifySource(Operation *gather, Value base) {
  auto argument = dyn_cast<BlockArgument>(base);
  Operation *tile = gather->getParentOp();
  auto chain = dyn_cast<ChainOp>(tile);
  const unsigned ofProduct = gather->getParentRegion()->getRegionNumber();
  const bool isBehind = chain && ofProduct > 0;
  const unsigned first = isBehind || isa<ProductOp>(tile) ? 1 : chain ? chain.getA().size() : 0;
  auto along = tile->getAttrOfType<DenseI64ArrayAttr>(isBehind ? "behindAlong" : "inputAlong");
  if (!argument || argument.getOwner()->getParentOp() != tile || argument.getArgNumber() < first)
    return gather->emitOpError("expected an input of its tile, found another value");
  const size_t sizes = sizesAround(gather);
  const size_t before = isBehind ? chain.behindOf(ofProduct - 1).first : 0;
  const size_t from = (before + argument.getArgNumber() - first) * sizes;
  if (llvm::any_of(along.asArrayRef().slice(from, sizes), [](int64_t dim) { return dim >= 0; }))
    return gather->emitOpError("expected an input that varies along no size");
  return success();
}

LogicalResult GatherOp::verify() { return verifySource(*this, getBase()); }

LogicalResult GatherRunOp::verify() {
  if (getStepAttr().getInt() < 1)
    return emitOpError("expected a positive step, found ") << getStepAttr().getInt();
  return verifySource(*this, getBase());
}

LogicalResult StrideOp::verify() {
  const int64_t rank = cast<MemRefType>(getTensor().getType()).getRank();
  if (const int64_t dim = getDimAttr().getInt(); dim < 0 || dim >= rank)
    return emitOpError("names dimension ") << dim << " of a tensor of rank " << rank;
  return success();
}

LogicalResult ReduceOp::verify() {
  const bool givesPosition = getKind() == ReduceKind::argmax || getKind() == ReduceKind::argmin;
  if (givesPosition != (getPosition() != nullptr))
    return emitOpError(givesPosition ? "expected the position as its second result"
                                     : "expected no position");
  auto rows = dyn_cast<RowsOp>((*this)->getParentOp());
  if (givesPosition && rows && rows.getReduced().size() != 1)
    return emitOpError("has a position along one dimension only");
  if (getRatio() && (rows || getKind() != ReduceKind::add || !getElement().getType().isF32()))
    return emitOpError("expected a sum of f32 in a cpu.chain, where it is times a ratio");
  if (getIdentity().getType() != getElement().getType())
    return emitOpError("expected an identity of the type of its elements, found ")
           << getIdentity().getType();
  return success();
}

bool isLongFunction(Operation *op) {
  return isa<math::ExpOp, math::LogOp, math::Log1pOp, math::ExpM1Op, math::TanhOp, math::ErfOp>(op);
}

} // namespace mmk::cpu
