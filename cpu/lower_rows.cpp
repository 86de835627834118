// A row group of a kernel as one operation on each of its tiles.
#include "cpu/lower.h"
#include "cpu/row_region.h"
#include "passes/dimensions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

using aicore::Space;

bool isInput(Value tensor) {
  tensor = behindViews(tensor);
  return isa<BlockArgument>(tensor) || tensor.getDefiningOp<ir::FusionGroupOp>() ||
         ir::isGenerated(tensor.getDefiningOp());
}

LogicalResult CpuLowering::expectInput(ir::FusionGroupOp group, Value tensor) {
  if (isInput(tensor))
    return success();
  return group.emitOpError("reads a tensor that is neither a parameter nor a result of an "
                           "earlier fusion group");
}

Value CpuLowering::wholeOf(Value tile, Operation *tileLoop) {
  auto slice = tile.getDefiningOp<tensor::ExtractSliceOp>();
  return slice && slice->getParentOp() == tileLoop ? slice.getSource() : tile;
}

namespace {

/// Of each dimension of a space, that of a view, -1 where it has none.
SmallVector<int64_t> alongOf(const SpaceLoops &dims, ArrayRef<unsigned> viewDims, size_t space) {
  SmallVector<int64_t> along(space, -1);
  for (auto [dim, viewDim] : llvm::zip(dims, viewDims))
    if (dim >= 0)
      along[dim] = viewDim;
  return along;
}

/// The dimension along which a result is contiguous.
int64_t columnsOfResults(const Tensors &outputs, size_t dims) {
  if (outputs.tensors.empty())
    return -1;
  const int64_t last = cast<MemRefType>(outputs.tensors[0].getType()).getRank() - 1;
  for (size_t dim = 0; dim < dims; ++dim)
    if (outputs.along[dim] == last)
      return static_cast<int64_t>(dim);
  return -1;
}

} // namespace

MemRefType workspaceType(size_t dims, Type element) {
  const SmallVector<int64_t> shape(dims, ShapedType::kDynamic);
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         aicore::SpaceAttr::get(element.getContext(), Space::gm));
}

std::pair<GlobalView, SmallVector<int64_t>> viewOfPart(Value tensor, Value part, size_t dims,
                                                       llvm::function_ref<bool(size_t)> kept) {
  GlobalView view{tensor, {part}, {}};
  SmallVector<int64_t> along(dims, -1);
  for (size_t dim = 0; dim < dims; ++dim)
    if (kept(dim)) {
      along[dim] = static_cast<int64_t>(view.offsets.size());
      view.offsets.push_back({});
    }
  return {view, along};
}

Value CpuLowering::startRows(ir::FusionGroupOp group) {
  startPhase(group);
  Value scratch = alloc("row", Space::ub, 1, tuning.rowScratchElements, b.getF32Type(), loc);
  emitScalars(group);
  return scratch;
}

cpu::RowsOp CpuLowering::emitRowsOp(ValueRange sizes, ArrayRef<int64_t> reduced,
                                    const Tensors &inputs, const Tensors &outputs, Value scratch) {
  return cpu::RowsOp::create(b, loc, sizes, reduced, inputs.tensors, inputs.offsets, inputs.along,
                             outputs.tensors, outputs.offsets, outputs.along, scratch);
}

void CpuLowering::addInput(const GlobalView &view, ArrayRef<int64_t> along, Value element,
                           Tensors &inputs, RowElements &elements) {
  if (view.generated) {
    elements.generated.push_back({element, generatedInput(view, along, inputs)});
    return;
  }
  elements.ofArguments.resize(inputs.tensors.size());
  elements.ofArguments.push_back(element);
  inputs.add(view, along, index(0));
}

Value CpuLowering::loopOverParts(Value count) {
  auto loop = scf::ForOp::create(b, loc, block, count, index(kernel.chosenNumber("cores", 1)));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  return loop.getInductionVar();
}

// Where windows run along the last dimension, it is short and their elements are anywhere: the
// elements of a vector are those of several results instead.
void CpuLowering::keepColumns(RowsTensors &tile, SmallVectorImpl<int64_t> &reduced) {
  const size_t dims = tile.sizes.size();
  const auto last = static_cast<int64_t>(dims) - 1;
  const int64_t columns = columnsOfResults(tile.outputs, dims);
  // Along both, and not dense along the columns of the results.
  auto isDenseAlongLast = [&](const Tensors &tensors) {
    for (auto [i, tensor] : llvm::enumerate(tensors.tensors)) {
      const int64_t *along = &tensors.along[i * dims];
      if (along[last] >= 0 && along[columns] >= 0 &&
          along[columns] != cast<MemRefType>(tensor.getType()).getRank() - 1)
        return true;
    }
    return false;
  };
  const bool hasWindow = llvm::any_of(tile.elements.generated, [&](const auto &generated) {
    const GeneratedInput &input = generated.second;
    return isa<ir::WindowOp>(input.op) && llvm::is_contained(input.sizes, last);
  });
  if (!hasWindow || columns < 0 || !llvm::is_contained(reduced, last) ||
      isDenseAlongLast(tile.inputs) || isDenseAlongLast(tile.outputs))
    return;
  auto moveToEnd = [&](auto from) { std::rotate(from, from + 1, from + (last - columns) + 1); };
  moveToEnd(tile.sizes.begin() + columns);
  for (auto *along : {&tile.inputs.along, &tile.outputs.along})
    for (size_t first = 0; first < along->size(); first += dims)
      moveToEnd(along->begin() + static_cast<int64_t>(first) + columns);
  auto moved = [&](int64_t dim) { return dim == columns ? last : dim > columns ? dim - 1 : dim; };
  for (auto &[element, input] : tile.elements.generated) {
    for (int64_t &size : input.sizes)
      size = moved(size);
    input.isContiguous = input.sizes.back() == last;
  }
  for (int64_t &dim : reduced)
    dim = moved(dim);
}

FailureOr<CpuLowering::RowsTensors>
CpuLowering::tensorsOf(ir::FusionGroupOp group, scf::ForOp tileLoop, RowProgram &program) {
  const size_t dims = program.space().names.size();
  RowsTensors all;
  all.sizes.resize(dims);
  all.starts.assign(dims, index(0));
  for (const RowInput &input : program.inputs()) {
    const GlobalView view = viewOf(input.tensor);
    for (auto [i, dim] : llvm::enumerate(input.dims))
      if (dim >= 0 && !all.sizes[dim])
        all.sizes[dim] = extentOf(input.tensor, i);
    addInput(view, alongOf(input.dims, view.dims, dims), input.element, all.inputs, all.elements);
  }
  for (auto [result, filled] :
       llvm::zip(group.getResults(), tileLoop.getBody()->getTerminator()->getOperands())) {
    // A result without dimensions is not inserted.
    auto insert = filled.getDefiningOp<tensor::InsertSliceOp>();
    Value tile = insert ? insert.getSource() : filled;
    RowOutput *output = nullptr;
    for (RowOutput &each : program.outputs())
      if (each.tensor == tile)
        output = &each;
    if (!output)
      return group.emitOpError("expected its tile loop to insert one tile of each result");
    GlobalView view = viewOf(result);
    for (unsigned i = 0; insert && i < view.dims.size(); ++i) {
      Value &sum = view.offsets[view.dims[i]], offset = mapped(insert.getMixedOffsets()[i]);
      sum = add(sum, positionIn(view, i, offset));
      const int64_t dim = output->dims[i];
      if (dim < 0)
        continue;
      all.starts[dim] = offset;
      if (!all.sizes[dim])
        all.sizes[dim] = mapped(insert.getMixedSizes()[i]);
    }
    all.outputs.add(view, alongOf(output->dims, view.dims, dims), index(0));
    all.yielded.push_back(output->element);
  }
  return all;
}

LogicalResult CpuLowering::emitRows(ir::FusionGroupOp group) {
  scf::ForOp tileLoop;
  for (auto loop : group.getBody().front().getOps<scf::ForOp>())
    tileLoop = loop;
  if (!group.getTile() || !tileLoop)
    return group.emitOpError("is not tiled; run mmk-tile-cores first");
  if (ir::RowsOp rows = rowsOf(group); rows && rows.hasScan())
    return emitCumulation(group, rows, tileLoop);
  if (std::optional<Chain> chain = Chain::of(group, *tileLoop.getBody()))
    return emitChain(group, tileLoop, *chain);
  FailureOr<RowProgram> program = RowProgram::of(group);
  if (failed(program))
    return failure();
  for (const RowInput &input : program->inputs())
    if (failed(expectInput(group, input.tensor)))
      return failure();
  const std::optional<Split> parts = split(group, *program);
  if (parts)
    emitParts(group, tileLoop, *program, *parts);
  Value scratch = startRows(group);
  emitLoop(tileLoop);
  loc = group.getLoc();
  FailureOr<RowsTensors> tile = tensorsOf(group, tileLoop, *program);
  if (failed(tile))
    return failure();
  if (parts) {
    Value isSplit =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, parts->count, index(0));
    auto branch = scf::IfOp::create(b, loc, isSplit, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    combineParts(*program, *parts, *tile, scratch);
    b.setInsertionPointToStart(branch.elseBlock());
  }
  SmallVector<int64_t> reduced = program->space().reduced();
  keepColumns(*tile, reduced);
  auto op = emitRowsOp(tile->sizes, reduced, tile->inputs, tile->outputs, scratch);
  RowRegion(b, loc, *program, map)
      .emit(op.getBody(), tile->inputs.elements, tile->elements, tile->yielded);
  return success();
}

} // namespace mmk
