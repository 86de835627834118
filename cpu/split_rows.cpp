// Reductions with fewer results than threads: each thread reduces a part of the elements, and a
// second phase combines the parts. Whether there are parts is found out when the kernel is called.
#include "cpu/lower.h"

#include "cpu/row_region.h"
#include "passes/arithmetic.h"

using namespace mlir;

namespace mmk {

// One pass, whose results are kept; the position of a part is not that of its element.
static bool canBeSplit(RowProgram &program) {
  for (const RowOutput &output : program.outputs())
    if (!program.isKept(output.element) || llvm::any_of(output.dims, [&](int64_t dim) {
          return dim >= 0 && program.space().isReduced[dim];
        }))
      return false;
  return program.levels() <= 2 && !program.reductions().empty() &&
         llvm::all_of(program.reductions(), [&](const RowReduction &reduction) {
           return !reduction.position && program.levelOf(reduction.operand) == 0;
         });
}

std::optional<CpuLowering::Split> CpuLowering::split(ir::FusionGroupOp group, RowProgram &program) {
  const int64_t cores = kernel.chosenNumber("cores", 1);
  if (cores == 1 || !canBeSplit(program))
    return std::nullopt;
  emitShared(group);
  loc = group.getLoc();
  Arithmetic a{b, loc};
  const RowSpace &space = program.space();
  Split split;
  Value one = index(1), results = one, elements = one;
  for (auto [dim, name] : llvm::enumerate(space.names)) {
    split.extents.push_back(dimension(name));
    const bool isColumn = static_cast<int64_t>(dim) == program.plane().columns;
    elements = a.mul(elements, split.extents[dim]);
    if (space.isReduced[dim])
      continue;
    results = a.mul(results, isColumn ? a.ceilDiv(split.extents[dim], index(tuning.columnsOfPart))
                                      : split.extents[dim]);
  }
  // Parts of the outer dimensions first, which are longer pieces of memory.
  Value wanted = a.ceilDiv(index(cores), a.max(results, one)),
        most = a.max(one, a.div(elements, index(tuning.sharedElements)));
  wanted = a.min(wanted, most);
  split.count = one;
  for (int64_t dim : space.reduced()) {
    Value parts = a.min(wanted, a.max(split.extents[dim], one));
    split.parts.push_back(parts);
    split.count = a.mul(split.count, parts);
    wanted = a.ceilDiv(wanted, parts);
  }
  Value isSplit = a.compare(arith::CmpIPredicate::sgt, split.count, one);
  split.count = a.choose(isSplit, split.count, index(0));
  for (RowReduction &reduction : program.reductions()) {
    SmallVector<Value> sizes = {a.max(split.count, one)};
    for (auto [dim, isReduced] : llvm::enumerate(space.isReduced))
      if (!isReduced)
        sizes.push_back(a.choose(isSplit, split.extents[dim], one));
    const MemRefType type = workspaceType(sizes.size(), reduction.result.getType());
    split.tensors.push_back(aicore::WorkspaceOp::create(b, loc, type, "parts", sizes));
  }
  return split;
}

// The parts are shared like tiles; each has all results.
void CpuLowering::emitParts(ir::FusionGroupOp group, scf::ForOp tileLoop, RowProgram &program,
                            const Split &split) {
  OpBuilder::InsertionGuard guard(b);
  const IRMapping outside = map;
  Value scratch = startRows(group), part = loopOverParts(split.count);
  Arithmetic a{b, loc};
  const RowSpace &space = program.space();
  const size_t dims = space.names.size();
  SmallVector<Value> starts(dims, index(0)), sizes = split.extents;
  Value rest = part;
  const SmallVector<int64_t> reduced = space.reduced();
  for (size_t i = reduced.size(); i-- > 0;) {
    const int64_t dim = reduced[i];
    Value parts = split.parts[i];
    Value length = a.ceilDiv(split.extents[dim], parts);
    starts[dim] = a.min(a.mul(a.rem(rest, parts), length), split.extents[dim]);
    sizes[dim] = a.min(length, a.sub(split.extents[dim], starts[dim]));
    rest = a.div(rest, parts);
  }
  Tensors inputs, outputs;
  RowElements elements;
  for (const RowInput &input : program.inputs()) {
    GlobalView view = viewOf(wholeOf(input.tensor, tileLoop));
    SmallVector<int64_t> along(dims, -1);
    for (auto [dim, viewDim] : llvm::zip(input.dims, view.dims))
      if (dim >= 0) {
        along[dim] = viewDim;
        view.offsets[viewDim] = add(view.offsets[viewDim], starts[dim]);
      }
    addInput(view, along, input.element, inputs, elements);
  }
  SmallVector<Value> yielded;
  for (auto [reduction, parts] : llvm::zip(program.reductions(), split.tensors)) {
    const auto [view, along] =
        viewOfPart(parts, part, dims, [&](size_t dim) { return !space.isReduced[dim]; });
    outputs.add(view, along, index(0));
    yielded.push_back(reduction.result);
  }
  auto op = emitRowsOp(sizes, space.reduced(), inputs, outputs, scratch);
  RowRegion(b, loc, program, map).emit(op.getBody(), inputs.elements, elements, yielded);
  map = outside;
}

// The same tile in a space with the parts in place of what is reduced.
void CpuLowering::combineParts(RowProgram &program, const Split &split, const RowsTensors &tile,
                               Value scratch) {
  const RowSpace &space = program.space();
  const size_t dims = space.names.size();
  SmallVector<int64_t> kept;
  for (auto [dim, isReduced] : llvm::enumerate(space.isReduced))
    if (!isReduced)
      kept.push_back(dim);
  SmallVector<Value> sizes = {split.count};
  for (int64_t dim : kept)
    sizes.push_back(tile.sizes[dim]);
  auto alongKept = [&](ArrayRef<int64_t> along) {
    SmallVector<int64_t> all = {-1};
    for (int64_t dim : kept)
      all.push_back(along[dim]);
    return all;
  };
  Tensors inputs;
  for (Value parts : split.tensors) {
    GlobalView view{parts, {index(0)}, {}};
    SmallVector<int64_t> along = {0};
    for (int64_t dim : kept) {
      along.push_back(view.offsets.size());
      view.offsets.push_back(tile.starts[dim]);
    }
    inputs.add(view, along, index(0));
  }
  inputs.tensors.append(tile.inputs.tensors);
  inputs.offsets.append(tile.inputs.offsets);
  inputs.elements.append(tile.inputs.elements);
  for (size_t i = 0; i < tile.inputs.tensors.size(); ++i)
    inputs.along.append(alongKept(ArrayRef(tile.inputs.along).slice(i * dims, dims)));
  Tensors outputs = tile.outputs;
  outputs.along.clear();
  for (size_t i = 0; i < tile.outputs.tensors.size(); ++i)
    outputs.along.append(alongKept(ArrayRef(tile.outputs.along).slice(i * dims, dims)));
  // The sizes of the tile are one place further behind the parts, without those that are reduced.
  RowElements elements = tile.elements;
  for (auto &[element, input] : elements.generated)
    for (int64_t &size : input.sizes)
      size = size < 0 || space.isReduced[size] ? -1 : llvm::find(kept, size) - kept.begin() + 1;
  auto op = emitRowsOp(sizes, /*reduced=*/0, inputs, outputs, scratch);
  RowRegion(b, loc, program, map)
      .emitOfParts(op.getBody(), inputs.elements, elements, tile.yielded);
}

} // namespace mmk
