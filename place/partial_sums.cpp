// The part of aicore-place that makes one product of the parts of a reduction that was split.
#include "place/placer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

// As the reduction has it: zero, and every part added to it. To load the first part in place of the
// zero would spare an instruction, but a buffer is filled by one pipe.
void Placer::emitSum(Tile &tile, VectorBuffers &buffers, Value into, Value intoSlot, Value number,
                     Value row, Value column, Value rows, Value columns) {
  Value parts = tile.sum.getInputs()[0];
  const unsigned rank = cast<RankedTensorType>(parts.getType()).getRank();
  Value count = extentOf(parts, 0);
  Value before = arith::MulIOp::create(b, loc, number, count);
  const auto full = aicore::SpreadAttr::get(b.getContext(), aicore::Spread::full);
  Type element = cast<MemRefType>(into.getType()).getElementType();

  // One vector instruction over `inputs`, all of the sum's type, which writes `into`.
  auto compute = [&](ValueRange inputs, ValueRange slots, auto yielded) {
    auto vector = aicore::VectorOp::create(
        b, loc, inputs, slots, b.getArrayAttr(SmallVector<Attribute>(inputs.size(), full)), into,
        intoSlot, Value(), rows, columns);
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&vector.getBody(), {}, SmallVector<Type>(inputs.size(), element),
                                SmallVector<Location>(inputs.size(), loc));
    aicore::YieldOp::create(b, loc, yielded(body->getArguments()));
  };
  compute({}, {}, [&](ValueRange) -> Value {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  });

  auto loop = scf::ForOp::create(b, loc, index(0), count, index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value which = loop.getInductionVar();
  GlobalView view = viewOf(parts);
  const unsigned rowDim = view.dims[rank - 2], columnDim = view.dims[rank - 1];
  for (auto [dim, offset] : {std::pair(view.dims[0], which), {rowDim, row}, {columnDim, column}})
    view.offsets[dim] = add(view.offsets[dim], offset);
  for (Value &offset : view.offsets)
    if (!offset)
      offset = index(0);
  Value inSlot = slot(add(before, which), buffers.part);
  aicore::LoadOp::create(b, loc, view.memref, view.offsets, ArrayRef<int64_t>{rowDim, columnDim},
                         rows, columns, buffers.part, inSlot, 1);
  compute({into, buffers.part}, {intoSlot, inSlot}, [&](ValueRange elements) -> Value {
    if (isa<FloatType>(element))
      return arith::AddFOp::create(b, loc, elements[0], elements[1]);
    return arith::AddIOp::create(b, loc, elements[0], elements[1]);
  });
}

} // namespace mmk
