// A row group of a kernel as one operation on each of its tiles.
#include "cpu/lower.h"
#include "cpu/row_region.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

using aicore::Space;

bool isInput(Value tensor) {
  while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>())
    tensor = slice.getSource();
  return isa<BlockArgument>(tensor) || tensor.getDefiningOp<ir::FusionGroupOp>() ||
         ir::isGenerated(tensor.getDefiningOp());
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

} // namespace

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
    const SmallVector<int64_t> along = alongOf(input.dims, view.dims, dims);
    if (view.generated) {
      all.elements.generated.push_back({input.element, generatedInput(view, along, all.inputs)});
    } else {
      all.elements.ofArguments.resize(all.inputs.tensors.size());
      all.elements.ofArguments.push_back(input.element);
      all.inputs.add(view, along, index(0));
    }
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
    for (unsigned i = 0; insert && i < view.offsets.size(); ++i) {
      view.offsets[i] = mapped(insert.getMixedOffsets()[i]);
      const int64_t dim = output->dims[i];
      if (dim < 0)
        continue;
      all.starts[dim] = view.offsets[i];
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
  for (auto cumulation : tileLoop.getBody()->getOps<ir::CumulateOp>())
    return emitCumulation(group, cumulation, tileLoop);
  FailureOr<RowProgram> program = RowProgram::of(group, *tileLoop.getBody());
  if (failed(program))
    return failure();
  for (const RowInput &input : program->inputs())
    if (!isInput(input.tensor))
      return group.emitOpError("reads a tensor that is neither a parameter nor a result of an "
                               "earlier fusion group");
  const std::optional<Split> parts = split(group, *program);
  if (parts)
    emitParts(group, tileLoop, *program, *parts);
  startPhase(group);
  aicore::AllocOp scratch =
      alloc("row", Space::ub, 1, tuning.rowScratchElements, b.getF32Type(), loc);
  emitScalars(group);
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
  auto op =
      cpu::RowsOp::create(b, loc, tile->sizes, program->space().reduced(), tile->inputs.tensors,
                          tile->inputs.offsets, tile->inputs.along, tile->outputs.tensors,
                          tile->outputs.offsets, tile->outputs.along, scratch);
  RowRegion(b, loc, *program, map)
      .emit(op.getBody(), tile->inputs.elements, tile->elements, tile->yielded);
  return success();
}

} // namespace mmk
