// A row group of a kernel as one operation on each of its tiles.
#include "cpu/lower.h"
#include "place/row_program.h"

using namespace mlir;

namespace mmk {
namespace {

/// Whether a tile reads the tensor from memory.
bool isInMemory(Value tensor) {
  while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>())
    tensor = slice.getSource();
  return isa<BlockArgument>(tensor) || tensor.getDefiningOp<ir::FusionGroupOp>();
}

/// Of each dimension of a space, that of a view, -1 where it has none.
SmallVector<int64_t> alongOf(const SpaceLoops &dims, ArrayRef<unsigned> viewDims, size_t space) {
  SmallVector<int64_t> along(space, -1);
  for (auto [dim, viewDim] : llvm::zip(dims, viewDims))
    if (dim >= 0)
      along[dim] = viewDim;
  return along;
}

/// The elements of a row program as the region of a cpu.rows. Each reduction stands before the
/// first operation that needs its result.
class RowRegion {
public:
  RowRegion(OpBuilder &b, Location loc, RowProgram &program, const IRMapping &scalars)
      : b(b), loc(loc), program(program), map(scalars) {}

  void emit(Region &region, ArrayRef<Type> elements, ArrayRef<Value> yielded) {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&region, {}, elements, SmallVector<Location>(elements.size(), loc));
    for (auto [input, argument] : llvm::zip(program.inputs(), body->getArguments()))
      map.map(input.element, argument);
    for (Operation &op : program.block()) {
      for (Value operand : op.getOperands())
        reduceTo(operand);
      b.clone(op, map);
    }
    SmallVector<Value> values;
    for (Value value : yielded) {
      reduceTo(value);
      values.push_back(map.lookupOrDefault(value));
    }
    cpu::YieldOp::create(b, loc, values);
  }

private:
  void reduceTo(Value value) {
    if (map.contains(value))
      return;
    for (const RowReduction &reduction : program.reductions()) {
      if (reduction.result != value && reduction.position != value)
        continue;
      reduceTo(reduction.operand);
      Value element = map.lookupOrDefault(reduction.operand);
      auto op = cpu::ReduceOp::create(b, reduction.location, element.getType(),
                                      reduction.position ? reduction.position.getType() : Type(),
                                      reduction.kind, element, reduction.identity);
      map.map(reduction.result, op.getResult());
      if (reduction.position)
        map.map(reduction.position, op.getPosition());
      return;
    }
  }

  OpBuilder &b;
  Location loc;
  RowProgram &program;
  IRMapping map;
};

} // namespace

LogicalResult CpuLowering::emitRows(ir::FusionGroupOp group) {
  scf::ForOp tileLoop;
  for (auto loop : group.getBody().front().getOps<scf::ForOp>())
    tileLoop = loop;
  if (!group.getTile() || !tileLoop)
    return group.emitOpError("is not tiled; run mmk-tile-cores first");
  FailureOr<RowProgram> program = RowProgram::of(group, tileLoop);
  if (failed(program))
    return failure();
  for (const RowInput &input : program->inputs())
    if (!isInMemory(input.tensor))
      return group.emitOpError("reads a tensor that is neither a parameter nor a result of an "
                               "earlier fusion group");
  startPhase(group);
  aicore::AllocOp scratch =
      alloc("row", Space::ub, 1, tuning.rowScratchElements, b.getF32Type(), loc);
  emitScalars(group);
  emitLoop(tileLoop);
  loc = group.getLoc();

  const size_t dims = program->space().names.size();
  SmallVector<Value> sizes(dims);
  Tensors inputs, outputs;
  for (const RowInput &input : program->inputs()) {
    const GlobalView view = viewOf(input.tensor);
    for (auto [i, dim] : llvm::enumerate(input.dims))
      if (dim >= 0 && !sizes[dim])
        sizes[dim] = extentOf(input.tensor, i);
    inputs.add(view, alongOf(input.dims, view.dims, dims), index(0));
  }
  SmallVector<Value> yielded;
  for (auto [result, filled] :
       llvm::zip(group.getResults(), tileLoop.getBody()->getTerminator()->getOperands())) {
    // A result without dimensions is not inserted.
    auto insert = filled.getDefiningOp<tensor::InsertSliceOp>();
    Value tile = insert ? insert.getSource() : filled;
    RowOutput *output = nullptr;
    for (RowOutput &each : program->outputs())
      if (each.tensor == tile)
        output = &each;
    if (!output)
      return group.emitOpError("expected its tile loop to insert one tile of each result");
    GlobalView view = viewOf(result);
    for (unsigned i = 0; insert && i < view.offsets.size(); ++i) {
      view.offsets[i] = mapped(insert.getMixedOffsets()[i]);
      if (const int64_t dim = output->dims[i]; dim >= 0 && !sizes[dim])
        sizes[dim] = mapped(insert.getMixedSizes()[i]);
    }
    outputs.add(view, alongOf(output->dims, view.dims, dims), index(0));
    yielded.push_back(output->element);
  }
  auto op =
      cpu::RowsOp::create(b, loc, sizes, program->space().reduced(), inputs.tensors, inputs.offsets,
                          inputs.along, outputs.tensors, outputs.offsets, outputs.along, scratch);
  RowRegion(b, loc, *program, map).emit(op.getBody(), inputs.elements, yielded);
  return success();
}

} // namespace mmk
