#include "place/kernel_lowering.h"
#include "ir/rows.h"
#include "passes/dimensions.h"
#include "passes/row_space.h"
#include "passes/tile_order.h"
#include "passes/variant.h"
#include "passes/windows/image_operand.h"
#include "schedule/joined_dimension.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;

namespace mmk {

//===--- small things ------------------------------------------------------------------------===//

Value KernelLowering::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

Value KernelLowering::add(Value x, Value y) {
  if (!x || matchPattern(x, m_Zero()))
    return y;
  if (!y || matchPattern(y, m_Zero()))
    return x;
  return arith::AddIOp::create(b, loc, x, y);
}

Value KernelLowering::mapped(OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return index(cast<IntegerAttr>(attribute).getInt());
  return map.lookup(cast<Value>(value));
}

/// An empty loop like the one in mmk IR, and in it from here on.
scf::ForOp KernelLowering::emitLoop(scf::ForOp loop) {
  loc = loop.getLoc();
  auto emitted = scf::ForOp::create(b, loc, map.lookup(loop.getLowerBound()),
                                    map.lookup(loop.getUpperBound()), map.lookup(loop.getStep()));
  map.map(loop.getInductionVar(), emitted.getInductionVar());
  b.setInsertionPoint(emitted.getBody()->getTerminator());
  for (Operation &op : *loop.getBody())
    clonePure(op);
  return emitted;
}

// "l1" -> 2 and "l1.a" -> 3, as the schedule says; aicore-double-buffer reads them.
DictionaryAttr KernelLowering::requestedBuffers() {
  SmallVector<NamedAttribute> requests;
  for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>()) {
    StringRef key = choice.getKey();
    if (key.consume_front("buffers."))
      requests.push_back(b.getNamedAttr(key, choice.getAlternatives()[0]));
  }
  return b.getDictionaryAttr(requests);
}

Value KernelLowering::behindSlices(Value tensor) {
  while (isa_and_nonnull<tensor::ExtractSliceOp, aicore::PlaceOp>(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return tensor;
}

Value KernelLowering::dimension(StringRef name) {
  int64_t literal;
  if (!name.getAsInteger(10, literal))
    return index(literal);
  if (isJoined(name)) {
    // Once, where all of the kernel sees it.
    Value &product = joined[name];
    if (product)
      return product;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&target.getBody().front());
    for (StringRef factor : factorsOf(name)) {
      const Value extent = dimension(factor);
      product = product ? arith::MulIOp::create(b, loc, product, extent).getResult() : extent;
    }
    return product;
  }
  for (auto [i, known] : llvm::enumerate(kernel.getDims().getAsValueRange<StringAttr>()))
    if (known == name)
      return target.getBody().getArgument(i);
  llvm_unreachable("a dimension of the kernel");
}

Value KernelLowering::extentOf(Value tensor, unsigned dim) {
  tensor = behindPlaces(tensor);
  if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (unsigned i = 0, kept = 0; i < dropped.size(); ++i)
      if (!dropped.test(i) && kept++ == dim)
        return mapped(slice.getMixedSizes()[i]);
  }
  if (ir::isGenerated(tensor.getDefiningOp()) || isReshape(tensor.getDefiningOp()))
    return dimension(dimName(tensor, dim));
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto named = cast<ir::NamedAttr>(kernel.getArgs()[argument.getArgNumber()]);
    return dimension(named.getDims()[dim].getValue());
  }
  if (auto group = tensor.getDefiningOp<ir::FusionGroupOp>()) {
    auto yield = cast<ir::YieldOp>(group.getBody().front().getTerminator());
    Value filled = yield.getValues()[cast<OpResult>(tensor).getResultNumber()];
    auto loop = filled.getDefiningOp<scf::ForOp>();
    Value init = loop.getInitArgs()[cast<OpResult>(filled).getResultNumber()];
    // By its name: the group may be a window that is read in place, of which nothing is emitted.
    const OpFoldResult size = init.getDefiningOp<tensor::EmptyOp>().getMixedSizes()[dim];
    if (auto value = dyn_cast<Value>(size); value && value.getDefiningOp<ir::DimOp>())
      return dimension(value.getDefiningOp<ir::DimOp>().getName());
    return mapped(size);
  }
  llvm_unreachable(
      "a tensor of a tiled kernel is a parameter, generated, a fusion group's result or a slice");
}

// Channels and taps are apart in what is multiplied with windows of an image.
void KernelLowering::splitDepths() {
  kernel.walk([&](linalg::ContractOp contract) {
    std::optional<ImageOperand> image = imageOperand(contract);
    Value tensor = behindSlices(contract.getInputs()[1]);
    if (!image || !tensor.getDefiningOp<ir::FusionGroupOp>())
      return;
    MemoryDims dims;
    const int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    for (int64_t dim = 0; dim < rank; ++dim) {
      auto &piece = dims.pieces.emplace_back();
      SmallVector<StringRef> names = {dimName(tensor, dim)};
      if (dim == rank - 2)
        names = llvm::map_to_vector(image->depth, [&](int64_t it) { return image->nameOf(it); });
      for (StringRef name : names) {
        piece.push_back(static_cast<int64_t>(dims.names.size()));
        dims.names.push_back(name);
      }
    }
    split[tensor] = dims;
  });
}

std::optional<KernelLowering::MemoryDims> KernelLowering::memoryDims(Value tensor) {
  if (const auto known = split.find(tensor); known != split.end())
    return known->second;
  if (isa<BlockArgument>(tensor))
    return std::nullopt;
  const auto collapseOf = [](Value value) -> tensor::CollapseShapeOp {
    for (Operation *user : value.getUsers())
      if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user))
        if (isReturned(collapse))
          return collapse;
    return {};
  };
  MemoryDims dims;
  const auto addNames = [&](Value value) {
    for (int64_t dim = 0; dim < cast<RankedTensorType>(value.getType()).getRank(); ++dim)
      dims.names.push_back(dimName(value, dim));
    if (tensor::CollapseShapeOp collapse = collapseOf(value))
      dims.joined = collapse.getReassociationIndices();
  };
  for (Operation *user : tensor.getUsers())
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user)) {
      dims.pieces = expand.getReassociationIndices();
      addNames(expand.getResult());
      return dims;
    }
  if (!collapseOf(tensor))
    return std::nullopt;
  addNames(tensor);
  for (int64_t dim = 0; dim < static_cast<int64_t>(dims.names.size()); ++dim)
    dims.pieces.push_back({dim});
  return dims;
}

GlobalView KernelLowering::wholeOf(Value tensor) {
  Value memory = behindReshapes(tensor);
  GlobalView view{tensors.lookup(memory), {}, {}};
  if (ir::isGenerated(tensor.getDefiningOp()))
    view.generated = tensor.getDefiningOp();
  const std::optional<MemoryDims> own = memoryDims(memory);
  const size_t rank = !own                  ? cast<RankedTensorType>(memory.getType()).getRank()
                      : own->joined.empty() ? own->names.size()
                                            : own->joined.size();
  view.offsets.assign(rank, Value());
  view.dims = llvm::to_vector(llvm::seq<unsigned>(rank));
  if (own && !own->joined.empty())
    splitDims(view, own->joined, own->names);
  if (own && memory == tensor)
    mergeDims(view, own->pieces);
  return view;
}

// Elements of merged dimensions follow each other along the last of them. A generated tensor has no
// memory to state that of.
void KernelLowering::mergeDims(GlobalView &view, ArrayRef<ReassociationIndices> pieces) {
  const SmallVector<unsigned> dims = std::move(view.dims);
  const std::vector<int64_t> scales = std::move(view.scales);
  view.dims.clear();
  view.scales.clear();
  for (const ReassociationIndices &piece : pieces) {
    view.dims.push_back(dims[piece.back()]);
    if (!scales.empty())
      view.scales.push_back(scales[piece.back()]);
    if (dims[piece.front()] != dims[piece.back()] && view.memref)
      merged.insert({view.memref, {dims[piece.front()], dims[piece.back()]}});
    for (int64_t dim : ArrayRef(piece).drop_back())
      if (Value &offset = view.offsets[dims[dim]]; !offset)
        offset = index(0);
  }
}

// Of each piece the inner dimensions are literal.
void KernelLowering::splitDims(GlobalView &view, ArrayRef<ReassociationIndices> pieces,
                               ArrayRef<StringRef> names) {
  const SmallVector<unsigned> dims = std::move(view.dims);
  view.dims.clear();
  view.scales.assign(names.size(), 1);
  for (auto [dim, piece] : llvm::zip(dims, pieces)) {
    view.dims.append(piece.size(), dim);
    for (int64_t i = piece.back(); i > piece.front(); --i) {
      int64_t extent = 1;
      names[i].getAsInteger(10, extent);
      view.scales[i - 1] = view.scales[i] * extent;
    }
  }
}

Value KernelLowering::positionIn(const GlobalView &view, size_t dim, Value position) {
  const int64_t scale = view.scales.empty() ? 1 : view.scales[dim];
  return scale == 1 ? position : arith::MulIOp::create(b, loc, position, index(scale)).getResult();
}

GlobalView KernelLowering::viewOf(Value tensor) {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>()) {
    GlobalView view = viewOf(collapse.getSrc());
    mergeDims(view, collapse.getReassociationIndices());
    return view;
  }
  if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>();
      expand && isa<BlockArgument>(expand.getSrc())) {
    GlobalView view = viewOf(expand.getSrc());
    SmallVector<StringRef> names;
    for (int64_t dim = 0; dim < expand.getResultType().getRank(); ++dim)
      names.push_back(dimName(tensor, dim));
    splitDims(view, expand.getReassociationIndices(), names);
    return view;
  }
  if (!slice)
    return wholeOf(tensor);
  GlobalView base = viewOf(slice.getSource());
  GlobalView view{base.memref, base.offsets, {}, base.generated};
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (auto [i, offset] : llvm::enumerate(slice.getMixedOffsets())) {
    Value &sum = view.offsets[base.dims[i]];
    sum = add(sum, positionIn(base, i, mapped(offset)));
    if (dropped.test(i))
      continue;
    view.dims.push_back(base.dims[i]);
    if (!base.scales.empty())
      view.scales.push_back(base.scales[i]);
  }
  return view;
}

GlobalView KernelLowering::matrixOf(Value tensor) {
  const GlobalView view = viewOf(tensor);
  auto window = dyn_cast_or_null<ir::WindowOp>(view.generated);
  if (!window)
    return view;
  SmallVector<Value> position, symbols;
  for (Value offset : view.offsets)
    position.push_back(offset ? offset : index(0));
  for (Value symbol : window.getSymbols())
    symbols.push_back(map.lookup(symbol));
  GlobalView matrix = viewOf(window.getSource());
  const SmallVector<unsigned> ofSource = matrix.dims;
  for (auto [dim, expression] : llvm::zip(ofSource, window.getMap().getResults())) {
    Value at = affine::expandAffineExpr(b, loc, expression, position, symbols);
    matrix.offsets[dim] = add(matrix.offsets[dim], at);
  }
  // Its last two dimensions are dimensions of the source; of those before, a slice takes one
  // position.
  const unsigned rank = window.getMap().getNumDims();
  const auto rows = llvm::find(window.getMap().getResults(), b.getAffineDimExpr(rank - 2));
  matrix.dims.assign(view.dims.size(), 0);
  matrix.dims.back() = ofSource.back();
  matrix.dims[view.dims.size() - 2] = ofSource[rows - window.getMap().getResults().begin()];
  return matrix;
}

void KernelLowering::readExtremes(ir::ExtremesOp op) {
  GlobalView view = viewOf(op.getSource());
  for (Value &offset : view.offsets)
    if (!offset)
      offset = index(0);
  const auto along = static_cast<int64_t>(op.getAlong());
  const Type types[] = {b.getIndexType(), b.getIndexType()};
  using I32 = std::numeric_limits<int32_t>;
  auto range = aicore::ScalarRangeOp::create(
      b, loc, types, view.memref, view.offsets,
      b.getI64IntegerAttr(along < 0 ? -1 : static_cast<int64_t>(view.dims[along])),
      along < 0 ? index(1) : extentOf(op.getSource(), along),
      b.getDenseI64ArrayAttr({I32::min(), I32::max()}));
  map.map(op.getLeast(), range.getLeast());
  map.map(op.getGreatest(), range.getGreatest());
}

// Scalar code is copied; tensors are not, their uses become transfers.
void KernelLowering::clonePure(Operation &op) {
  loc = op.getLoc();
  if (auto dim = dyn_cast<ir::DimOp>(op)) {
    map.map(dim.getResult(), dimension(dim.getName()));
  } else if (auto count = dyn_cast<ir::TileCountOp>(op)) {
    auto clone = cast<ir::TileCountOp>(b.clone(op, map));
    map.map(count.getResult(), expandTileCount(b, clone));
    clone.erase();
  } else if (auto coords = dyn_cast<ir::TileCoordsOp>(op)) {
    auto clone = cast<ir::TileCoordsOp>(b.clone(op, map));
    for (auto [result, value] : llvm::zip(coords.getResults(), expandTileCoords(b, clone)))
      map.map(result, value);
    clone.erase();
  } else if (auto extremes = dyn_cast<ir::ExtremesOp>(op)) {
    readExtremes(extremes);
  } else if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    map.map(dim.getResult(), extentOf(dim.getSource(), *dim.getConstantIndex()));
  } else if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<Value> operands;
    for (Value operand : apply.getMapOperands())
      operands.push_back(map.lookup(operand));
    map.map(apply.getResult(),
            (*affine::expandAffineMap(b, loc, apply.getAffineMap(), operands))[0]);
  } else if (auto min = dyn_cast<affine::AffineMinOp>(op)) {
    SmallVector<Value> operands;
    for (Value operand : min.getMapOperands())
      operands.push_back(map.lookup(operand));
    auto values = *affine::expandAffineMap(b, loc, min.getAffineMap(), operands);
    Value least = values[0];
    for (Value value : llvm::drop_begin(values))
      least = arith::MinSIOp::create(b, loc, least, value);
    map.map(min.getResult(), least);
  } else if (llvm::all_of(op.getResultTypes(),
                          [](Type type) { return type.isIntOrIndexOrFloat(); }) &&
             op.getNumResults() > 0 && op.getNumRegions() == 0) {
    b.clone(op, map);
  }
}

//===--- kernel ------------------------------------------------------------------------------===//

void KernelLowering::limitUnits(NamedAttrList &limits) {
  for (StringRef dim : kernel.getDims().getAsValueRange<StringAttr>())
    if (const int64_t extent = kernel.chosenNumber(("extent." + dim).str(), 0); extent > 0)
      limits.set(dim, b.getI64IntegerAttr(extent));
}

FailureOr<DictionaryAttr> KernelLowering::limits() {
  NamedAttrList limits;
  limitUnits(limits);
  return limits.empty() ? DictionaryAttr() : limits.getDictionary(b.getContext());
}

LogicalResult KernelLowering::createKernel() {
  b.setInsertionPoint(kernel);
  const FailureOr<DictionaryAttr> most = limits();
  if (failed(most))
    return failure();
  target = aicore::KernelOp::create(b, kernel.getLoc(), kernel.getSymName(), kernel.getDims(),
                                    kernel.getArgs(), kernel.getResults(),
                                    kernel.chosenNumber("cores", 1), requestedBuffers(), *most);
  target->setAttr("variant", kernel->getAttr("variant"));
  if (Attribute fast = kernel->getAttr("fast_math"))
    target->setAttr("fast_math", fast);
  Block *block = b.createBlock(&target.getBody());
  auto global = [&](Type tensor) -> Type {
    auto ranked = dyn_cast<RankedTensorType>(tensor);
    if (!ranked)
      return tensor;
    return MemRefType::get(ranked.getShape(), ranked.getElementType(), MemRefLayoutAttrInterface(),
                           aicore::SpaceAttr::get(b.getContext(), aicore::Space::gm));
  };
  for (size_t i = 0; i < kernel.getDims().size(); ++i)
    block->addArgument(b.getIndexType(), kernel.getLoc());
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    Value placed = block->addArgument(global(argument.getType()), argument.getLoc());
    if (isa<MemRefType>(placed.getType()))
      tensors[argument] = placed;
    else
      map.map(argument, placed);
  }
  auto ret = cast<ir::ReturnOp>(kernel.getBody().front().getTerminator());
  for (Value value : ret.getValues())
    tensors[behindReshapes(value)] = block->addArgument(global(value.getType()), kernel.getLoc());
  b.setInsertionPointToEnd(block);
  return success();
}

//===--- fusion groups
//-------------------------------------------------------------------------------===//

// Values computed once for a kernel: extents, and intermediate tensors between fusion groups.
void KernelLowering::emitShared(ir::FusionGroupOp group) {
  for (Operation &op : group.getBody().front())
    if (isa<ir::DimOp>(op) || op.hasTrait<OpTrait::ConstantLike>())
      clonePure(op);
  for (Value result : group.getResults())
    if (!tensors.count(result)) {
      loc = group.getLoc();
      SmallVector<Value> sizes;
      auto type = cast<RankedTensorType>(result.getType());
      if (const std::optional<MemoryDims> own = memoryDims(result))
        for (StringRef name : own->names)
          sizes.push_back(dimension(name));
      else
        for (unsigned i = 0; i < type.getRank(); ++i)
          sizes.push_back(extentOf(result, i));
      const SmallVector<int64_t> shape(sizes.size(), ShapedType::kDynamic);
      auto memref = MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(),
                                    aicore::SpaceAttr::get(b.getContext(), aicore::Space::gm));
      tensors[result] = aicore::WorkspaceOp::create(b, loc, memref, names.lookup(result), sizes);
    }
}

// The destination of the current tile, and so its size.
SmallVector<KernelLowering::Destination> KernelLowering::findDestinations(ir::FusionGroupOp group,
                                                                          scf::ForOp tileLoop) {
  SmallVector<Destination> destinations;
  auto yield = cast<ir::YieldOp>(group.getBody().front().getTerminator());
  for (auto [result, filled] : llvm::zip(group.getResults(), yield.getValues())) {
    const unsigned number = cast<OpResult>(filled).getResultNumber();
    const GlobalView whole = wholeOf(result);
    GlobalView view{whole.memref, whole.offsets, {}};
    Value yielded = tileLoop.getBody()->getTerminator()->getOperand(number);
    auto insert = yielded.getDefiningOp<tensor::InsertSliceOp>();
    if (!insert) { // a tensor without dimensions
      destinations.push_back({yielded, view, {}});
      continue;
    }
    // The first dimension of the results of divided rows is the number of the part, which is none
    // of a tile.
    ir::RowsOp rows = rowsOf(group);
    const size_t front = rows && rows.getParts() ? 1 : 0;
    SmallVector<Value> sizes;
    for (auto [i, offset] : llvm::enumerate(insert.getMixedOffsets())) {
      Value &sum = view.offsets[whole.dims[i]];
      sum = add(sum, positionIn(whole, i, mapped(offset)));
      if (i < front)
        continue;
      view.dims.push_back(whole.dims[i]);
      sizes.push_back(mapped(insert.getMixedSizes()[i]));
    }
    destinations.push_back({insert.getSource(), view, sizes});
  }
  return destinations;
}

SmallVector<KernelLowering::Destination> KernelLowering::findDestinations(ir::FusionGroupOp group,
                                                                          TiledGroup &tile,
                                                                          Value &rows,
                                                                          Value &columns) {
  SmallVector<Destination> destinations = findDestinations(group, tile.tileLoop);
  rows = tile.rowsAt >= 0 ? destinations.back().sizes[tile.rowsAt] : index(1);
  columns = destinations.back().sizes[tile.rank - 1];
  return destinations;
}

void KernelLowering::startPhase(ir::FusionGroupOp group) {
  emitShared(group);
  loc = group.getLoc();
  auto phase = aicore::PhaseOp::create(b, loc);
  Block *inside = b.createBlock(&phase.getBody(), {}, b.getIndexType(), loc);
  block = inside->getArgument(0);
  map.map(group.getBody().getArgument(0), block);
  b.setInsertionPointToEnd(inside);
}

void KernelLowering::emitScalars(ir::FusionGroupOp group) {
  for (Operation &op : group.getBody().front().without_terminator())
    if (!map.contains(op.getNumResults() ? op.getResult(0) : Value()))
      clonePure(op);
}

//===--- the kernel's fusion groups, one after the other
//------------------------------------------===//

LogicalResult KernelLowering::run() {
  if (failed(checkDims(kernel)) || failed(checkGroups(kernel)))
    return failure();
  Operation *ret = kernel.getBody().front().getTerminator();
  for (Value value : ret->getOperands())
    if (!behindReshapes(value).getDefiningOp<ir::FusionGroupOp>())
      return ret->emitOpError("expected each result to come from a mmk.fusion_group");
  splitDepths();
  if (failed(createKernel()))
    return failure();
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front().without_terminator())) {
    if (auto group = dyn_cast<ir::FusionGroupOp>(op)) {
      OpBuilder::InsertionGuard guard(b);
      if (failed(emitGroup(group)))
        return failure();
    } else {
      clonePure(op);
    }
  }
  SmallVector<aicore::MergedDims> numbered;
  for (auto &[tensor, range] : merged)
    numbered.push_back({aicore::numberOfTensor(target, tensor), range.first, range.second});
  aicore::setMergedDims(target, numbered);
  aicore::setImageLimits(target, images);
  kernel.erase();
  return success();
}

} // namespace mmk
