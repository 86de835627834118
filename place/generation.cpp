// The part of aicore-insert-transfers for what vector work reads: parts of tensors in global
// memory, and of generated ones.
#include "place/insert_transfers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

void TransferInserter::fill(const GlobalView &view, ArrayRef<int64_t> along, Value rows,
                            Value columns, Value buffer, Value slot) {
  if (!view.generated) {
    aicore::LoadOp::create(b, loc, view.memref, view.offsets, along, rows, columns, buffer, slot,
                           1);
    return;
  }
  if (auto random = dyn_cast<ir::RandomOp>(view.generated))
    return generate(random, view, along, rows, columns, buffer, slot);
  if (auto window = dyn_cast<ir::WindowOp>(view.generated))
    return generate(window, view, along, rows, columns, buffer, slot);
  aicore::PositionsOp::create(b, loc, view.offsets[0], columns, buffer, slot);
}

void TransferInserter::generate(ir::RandomOp random, const GlobalView &view,
                                ArrayRef<int64_t> along, Value rows, Value columns, Value buffer,
                                Value slot) {
  Value stride = index(1), first = index(0), rowStep = index(0), columnStep = rowStep;
  for (size_t dim = view.offsets.size(); dim-- > 0;) {
    first = add(first, arith::MulIOp::create(b, loc, view.offsets[dim], stride));
    if (along[0] == static_cast<int64_t>(dim))
      rowStep = stride;
    if (along[1] == static_cast<int64_t>(dim))
      columnStep = stride;
    stride = arith::MulIOp::create(b, loc, stride, extentOf(random.getResult(), dim));
  }
  aicore::RandomOp::create(b, loc, map.lookupOrDefault(random.getSeed()), first, rowStep,
                           columnStep, rows, columns, buffer, slot);
}

// The position in the generated tensor is its offset, and along the buffer's rows and columns their
// numbers, which are the two dimensions of the map.
void TransferInserter::generate(ir::WindowOp window, const GlobalView &view,
                                ArrayRef<int64_t> along, Value rows, Value columns, Value buffer,
                                Value slot) {
  MLIRContext *context = b.getContext();
  SmallVector<Value> symbols;
  for (Value symbol : window.getSymbols())
    symbols.push_back(map.lookup(symbol));
  SmallVector<AffineExpr> position;
  for (auto [dim, offset] : llvm::enumerate(view.offsets)) {
    AffineExpr at = getAffineSymbolExpr(symbols.size(), context);
    symbols.push_back(offset);
    for (unsigned i : {0, 1})
      if (along[i] == static_cast<int64_t>(dim))
        at = at + getAffineDimExpr(i, context);
    position.push_back(at);
  }
  // The source may be a slice without dimensions of extent 1.
  const GlobalView source = viewOf(window.getSource());
  SmallVector<AffineExpr> indices(source.offsets.size(), getAffineConstantExpr(0, context));
  for (auto [dim, result] : llvm::zip(source.dims, window.getMap().getResults()))
    indices[dim] = result.replaceDims(position);
  const AffineMap at = AffineMap::get(2, symbols.size(), indices, context);
  Value padding = window.getPadding() ? map.lookupOrDefault(window.getPadding()) : Value();
  aicore::WindowOp::create(b, loc, source.memref, at, symbols, padding, rows, columns, buffer,
                           slot);
}

} // namespace mmk
