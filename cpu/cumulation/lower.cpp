// A group of one cumulative sum as an operation on each of its tiles. A few long rows have parts,
// which are summed before, so that each part can begin with the sum of those before it.
#include "cpu/lower.h"

#include "cpu/row_region.h"
#include "ir/rows.h"
#include "passes/arithmetic.h"
#include "passes/row_space.h"

using namespace mlir;

namespace mmk {

using aicore::Space;

namespace {

/// Elements of which the length of a part is a multiple: whole lines.
constexpr int64_t unitOfPart = 1024;

} // namespace

CpuLowering::SumParts CpuLowering::splitSum(ir::FusionGroupOp group, int64_t along, Type element) {
  emitShared(group);
  loc = group.getLoc();
  Arithmetic a{b, loc};
  const RowSpace space(group);
  const auto columns = static_cast<int64_t>(space.names.size()) - 1;
  SumParts parts;
  Value one = index(1), results = one, cores = index(kernel.chosenNumber("cores", 1));
  for (auto [dim, name] : llvm::enumerate(space.names)) {
    parts.extents.push_back(dimension(name));
    const auto number = static_cast<int64_t>(dim);
    if (number != along)
      results = a.mul(results, number == columns
                                   ? a.ceilDiv(parts.extents[dim], index(tuning.columnsOfShare))
                                   : parts.extents[dim]);
  }
  Value length = parts.extents[along];
  Value wanted = a.ceilDiv(cores, a.max(results, one)),
        most = a.max(one, a.div(a.mul(length, results), index(tuning.sharedElements)));
  wanted = a.min(wanted, most);
  Value unit = index(along == columns ? unitOfPart : 1);
  parts.length = a.max(one, a.mul(a.ceilDiv(a.ceilDiv(length, wanted), unit), unit));
  parts.count = a.ceilDiv(length, parts.length);
  Value isSplit = a.compare(arith::CmpIPredicate::sgt, parts.count, one);
  parts.count = a.choose(isSplit, parts.count, index(0));
  SmallVector<Value> sizes = {a.max(parts.count, one)};
  for (auto [dim, extent] : llvm::enumerate(parts.extents))
    if (static_cast<int64_t>(dim) != along)
      sizes.push_back(a.choose(isSplit, extent, one));
  for (Value *tensor : {&parts.sums, &parts.before})
    *tensor = aicore::WorkspaceOp::create(b, loc, workspaceType(sizes.size(), element),
                                          tensor == &parts.sums ? "parts" : "before", sizes);
  return parts;
}

// The sum of the last part is not needed.
void CpuLowering::emitSumsOfParts(ir::FusionGroupOp group, ir::RowsOp op, int64_t along,
                                  const SumParts &parts) {
  OpBuilder::InsertionGuard guard(b);
  const IRMapping outside = map;
  Value scratch = startRows(group);
  Arithmetic a{b, loc};
  Value part = loopOverParts(a.sub(parts.count, index(1)));
  GlobalView view = viewOf(wholeOf(op.getInputs()[0], op->getParentOp()));
  Value start = a.mul(part, parts.length);
  SmallVector<Value> sizes = parts.extents;
  sizes[along] = parts.length;
  SmallVector<int64_t> dimensions(view.dims.begin(), view.dims.end());
  Value &offset = view.offsets[view.dims[along]];
  offset = add(offset, start);
  Tensors inputs, outputs;
  inputs.add(view, dimensions, index(0));
  const auto [sums, alongSums] = parts.at(parts.sums, part, along);
  outputs.add(sums, alongSums, index(0));
  emitSumOf(sizes, along, inputs, outputs, scratch);
  map = outside;
}

void CpuLowering::emitSumOf(ValueRange sizes, int64_t along, const Tensors &inputs,
                            const Tensors &outputs, Value scratch) {
  auto rows = emitRowsOp(sizes, along, inputs, outputs, scratch);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&rows.getBody(), {}, inputs.elements, {loc});
  auto sum = cpu::ReduceOp::create(b, loc, inputs.elements[0], Type(), aicore::ReduceKind::add,
                                   body->getArgument(0),
                                   cast<TypedAttr>(b.getZeroAttr(inputs.elements[0])));
  cpu::YieldOp::create(b, loc, sum.getResult());
}

void CpuLowering::emitPartsOfSum(ir::FusionGroupOp group, ir::RowsOp op, int64_t along,
                                 const SumParts &parts, Value scratch) {
  OpBuilder::InsertionGuard guard(b);
  Arithmetic a{b, loc};
  Value part = loopOverParts(parts.count);
  auto [before, alongBefore] = parts.at(parts.before, part, along);
  {
    auto [sums, alongSums] = parts.at(parts.sums, index(0), along);
    alongSums[along] = 0;
    SmallVector<Value> sizes = parts.extents;
    sizes[along] = part;
    Tensors inputs, outputs;
    inputs.add(sums, alongSums, index(0));
    outputs.add(before, alongBefore, index(0));
    emitSumOf(sizes, along, inputs, outputs, scratch);
  }
  GlobalView from = viewOf(wholeOf(op.getInputs()[0], op->getParentOp())),
             to = viewOf(group.getResult(0));
  Value start = a.mul(part, parts.length);
  SmallVector<Value> sizes = parts.extents;
  sizes[along] = a.min(parts.length, a.sub(parts.extents[along], start));
  for (GlobalView *view : {&from, &to}) {
    Value &offset = view->offsets[view->dims[along]];
    offset = add(offset, start);
  }
  Tensors inputs, outputs;
  inputs.add(from, SmallVector<int64_t>(from.dims.begin(), from.dims.end()), index(0));
  inputs.add(before, alongBefore, index(0));
  outputs.add(to, SmallVector<int64_t>(to.dims.begin(), to.dims.end()), index(0));
  cpu::CumulateOp::create(b, loc, sizes, along, inputs.tensors, inputs.offsets, inputs.along,
                          outputs.tensors, outputs.offsets, outputs.along, scratch);
}

LogicalResult CpuLowering::emitCumulation(ir::FusionGroupOp group, ir::RowsOp op,
                                          scf::ForOp tileLoop) {
  if (failed(expectInput(group, op.getInputs()[0])))
    return failure();
  const int64_t along = RowSpace(group).reduced()[0];
  std::optional<SumParts> parts;
  if (kernel.chosenNumber("cores", 1) > 1) {
    parts = splitSum(group, along, getElementTypeOrSelf(op.getInputs()[0]));
    emitSumsOfParts(group, op, along, *parts);
  }
  Value scratch = startRows(group);
  if (parts)
    emitPartsOfSum(group, op, along, *parts, scratch);
  emitLoop(tileLoop);
  loc = op.getLoc();
  if (parts) {
    Value isWhole = Arithmetic{b, loc}.compare(arith::CmpIPredicate::eq, parts->count, index(0));
    b.setInsertionPointToStart(
        scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/false).thenBlock());
  }
  const Destination to = findDestinations(group, tileLoop)[0];
  const GlobalView from = viewOf(op.getInputs()[0]);
  Tensors inputs, outputs;
  inputs.add(from, SmallVector<int64_t>(from.dims.begin(), from.dims.end()), index(0));
  outputs.add(to.view, SmallVector<int64_t>(to.view.dims.begin(), to.view.dims.end()), index(0));
  cpu::CumulateOp::create(b, loc, to.sizes, along, inputs.tensors, inputs.offsets, inputs.along,
                          outputs.tensors, outputs.offsets, outputs.along, scratch);
  return success();
}

} // namespace mmk
