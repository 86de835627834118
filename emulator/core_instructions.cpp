#include "emulator/core_instructions.h"

#include "codegen/micro_kernel.h"
#include "codegen/pack.h"
#include "codegen/scalar_range.h"
#include "codegen/transfer.h"
#include "emulator/generation.h"
#include "emulator/reduce_op.h"
#include "emulator/scan_op.h"
#include "emulator/vector_op.h"
#include "emulator/windows.h"
#include "ir/merged_dims.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace mmk {

using aicore::Space;

void CoreInstructions::emit(aicore::Instruction op) {
  TypeSwitch<mlir::Operation *>(op)
      .Case([&](aicore::LoadOp op) { load(op); })
      .Case([&](aicore::LoadL0Op op) { loadL0(op); })
      .Case([&](aicore::Load3dOp op) { load3d(op); })
      .Case([&](aicore::MmadOp op) { mmad(op); })
      .Case([&](aicore::VectorOp op) { vector(op); })
      .Case([&](aicore::ReduceOp op) { reduce(op); })
      .Case([&](aicore::ScanOp op) { emitScan(op, e, values); })
      .Case([&](aicore::WindowOp op) { emitWindow(op, e, values); })
      .Case([&](aicore::PositionsOp op) { emitPositions(op, e, values); })
      .Case([&](aicore::RandomOp op) { emitRandomTile(op, e, values); })
      .Case([&](aicore::ScalarRangeOp op) { emitScalarRange(op, e, values); })
      .Case([&](aicore::StoreOp op) { store(op); })
      .Case([&](aicore::FixpipeOp op) { fixpipe(op); })
      .Case([&](aicore::SpillOp op) { spill(op); })
      .Case([&](aicore::FetchOp op) { fetch(op); })
      .Case([&](aicore::DrainOp op) { drain(op); })
      .Default([&](mlir::Operation *op) { values.fail(op); });
}

// A view: the address and strides of a parameter's tile, in place of its elements in L1.
static constexpr int64_t viewBytes = 24; // pointer, bytes from row to row, from column to column

// Whether tiles of this buffer in L1 are views. Parameters do not change while the kernel runs, so
// a tile that is read only by transfers to L0, which convert it, need not be copied. A watch reads
// L1 itself, so watched runs copy.
bool CoreInstructions::isView(mlir::Value buffer) {
  auto [known, isNew] = views.try_emplace(buffer, false);
  auto alloc = buffer.getDefiningOp<aicore::AllocOp>();
  if (!isNew || !alloc || alloc.getSpace() != Space::l1 || watched || alloc.getBytes() < viewBytes)
    return known->second;
  auto isParameter = [&](mlir::Value tensor) {
    auto argument = dyn_cast<mlir::BlockArgument>(tensor);
    return argument && argument.getOwner() == &kernel.getBody().front() &&
           argument.getArgNumber() < kernel.getDims().size() + kernel.getArgs().size();
  };
  known->second = llvm::all_of(buffer.getUsers(), [&](mlir::Operation *user) {
    if (auto load = dyn_cast<aicore::LoadOp>(user))
      return load.getOuter().empty() && !load.getClipped() && isParameter(load.getSource());
    auto stage = dyn_cast<aicore::LoadL0Op>(user);
    return isa<aicore::SlotOp>(user) || (stage && aicore::spaceOf(stage.getTarget()) != Space::bt);
  });
  return known->second;
}

void CoreInstructions::load(aicore::LoadOp op) {
  const GlobalTensor &tensor = values.global(op.getSource());
  Type *element = values.elementOf(op.getSource());
  Value *size = e.number(e.bytesOf(element));
  const unsigned rowDim = op.getOuter().size(), columnDim = rowDim + 1;
  if (isView(op.getTarget())) {
    Value *view = values.buffer(op.getTarget(), op.getSlot());
    Value *const fields[viewBytes / 8] = {values.address(tensor, op.getOffsets(), element),
                                          stepOf(op, rowDim, tensor, size),
                                          stepOf(op, columnDim, tensor, size)};
    for (auto [i, field] : enumerate(fields))
      b.CreateAlignedStore(field, e.offset(view, 8 * i), Align(8));
    return;
  }
  Value *rows = values.value(op.getRows()), *columns = values.value(op.getColumns());
  int64_t pad = op.getPad();
  Value *paddedRows = pad > 1 ? e.roundUp(rows, pad) : rows;
  Value *paddedColumns = pad > 1 ? e.roundUp(columns, pad) : columns;
  Value *rowBytes = e.number(values.rowBytes(op.getTarget()));
  Value *target = values.buffer(op.getTarget(), op.getSlot());
  Value *source = values.address(tensor, op.getOffsets(), element);
  auto loadRows = [&](Value *to, Value *from, Value *count, Value *padded) {
    b.CreateCall(loadPadded(e, element),
                 {to, from, rowBytes, stepOf(op, rowDim, tensor, size),
                  stepOf(op, columnDim, tensor, size), count, columns, padded, paddedColumns});
  };
  if (rowDim == 0)
    return loadRows(target, source, op.getClipped() ? rowsInside(op, tensor, e.number(0)) : rows,
                    paddedRows);
  Value *all = forEachOuter(op, tensor, size, [&](Value *row, Value *offset, Value *number) {
    loadRows(e.offset(target, b.CreateMul(row, rowBytes)), e.offset(source, offset),
             op.getClipped() ? rowsInside(op, tensor, number) : rows, rows);
  });
  Value *padding = pad > 1 ? b.CreateSub(e.roundUp(all, pad), all) : e.number(0);
  loadRows(e.offset(target, b.CreateMul(all, rowBytes)), source, e.number(0), padding);
}

// The rows of a view before the end of the tensor, for the index `number` of its outer dimensions.
Value *CoreInstructions::rowsInside(aicore::LoadOp op, const GlobalTensor &tensor, Value *number) {
  const unsigned rowDim = op.getOuter().size();
  const int64_t along = op.getAlong()[rowDim];
  Value *first = values.value(op.getOffsets()[along]);
  for (unsigned dim = rowDim; dim-- > 0;) {
    Value *extent = values.value(op.getOuter()[dim]);
    if (op.getAlong()[dim] == along)
      first = e.plus(first, b.CreateURem(number, extent), op.stepOf(dim));
    number = b.CreateUDiv(number, extent);
  }
  Value *extent = e.number(1);
  for (int64_t dim : aicore::boundingDims(op, along))
    extent = b.CreateMul(extent, tensor.extents[dim]);
  Value *rest = b.CreateSub(extent, first);
  return b.CreateBinaryIntrinsic(Intrinsic::smax, e.number(0),
                                 e.min(rest, values.value(op.getRows())));
}

/// Bytes from one element of a view to the next along this dimension of it.
template <typename Op>
Value *CoreInstructions::stepOf(Op op, unsigned dim, const GlobalTensor &tensor, Value *size) {
  const int64_t along = op.getAlong()[dim];
  Value *step = along < 0 ? size : b.CreateMul(tensor.strides[along], size);
  return op.stepOf(dim) == 1 ? step : b.CreateMul(step, e.number(op.stepOf(dim)));
}

// The rows of a view for each index of its outer dimensions: the first row in the buffer, the bytes
// from the first element of the view, and the number of the index. Gives the rows of all.
template <typename Op>
Value *CoreInstructions::forEachOuter(Op op, const GlobalTensor &tensor, Value *size,
                                      function_ref<void(Value *, Value *, Value *)> body) {
  Value *rows = values.value(op.getRows()), *count = e.number(1);
  for (mlir::Value extent : op.getOuter())
    count = b.CreateMul(count, values.value(extent));
  e.loop(e.number(0), count, e.number(1), [&](Value *number) {
    Value *offset = e.number(0), *rest = number;
    for (unsigned dim = op.getOuter().size(); dim-- > 0;) {
      Value *extent = values.value(op.getOuter()[dim]);
      Value *index = b.CreateURem(rest, extent);
      rest = b.CreateUDiv(rest, extent);
      offset = b.CreateAdd(offset, b.CreateMul(index, stepOf(op, dim, tensor, size)));
    }
    body(b.CreateMul(number, rows), offset, number);
  });
  return b.CreateMul(count, rows);
}

// In the emulated L0, where every element has four bytes.
static Multiply multiplyOf(Type *element) {
  return element->isFloatingPointTy() ? Multiply::f32 : Multiply::i32;
}

void CoreInstructions::loadL0(aicore::LoadL0Op op) {
  Type *from = values.elementOf(op.getSource());
  Value *source = values.buffer(op.getSource(), op.getSlot());
  Value *rowStep = e.number(values.rowBytes(op.getSource()));
  Value *columnStep = e.number(e.bytesOf(from));
  const bool view = isView(op.getSource());
  if (view) {
    rowStep = b.CreateAlignedLoad(e.i64(), e.offset(source, 8), Align(8));
    columnStep = b.CreateAlignedLoad(e.i64(), e.offset(source, 16), Align(8));
    source = b.CreateAlignedLoad(e.pointer(), source, Align(8));
  }
  source = e.offset(source, b.CreateAdd(b.CreateMul(values.value(op.getRow()), rowStep),
                                        b.CreateMul(values.value(op.getColumn()), columnStep)));
  Value *rows = values.value(op.getRows()), *columns = values.value(op.getColumns());
  if (aicore::spaceOf(op.getTarget()) == Space::bt)
    return copy(values.buffer(op.getTarget(), op.getTargetSlot()), values.rowBytes(op.getTarget()),
                source, values.rowBytes(op.getSource()), rows, columns, from);
  if (op.getTransposed()) {
    std::swap(rows, columns);
    std::swap(rowStep, columnStep);
  }
  if (view)
    prefetchNextStep(op, source, rowStep, columnStep, rows, columns);
  fillL0(op.getTarget(), op.getTargetSlot(), source, rowStep, columnStep, rows, columns, from,
         /*mayReadBeyond=*/!view);
}

// The windows are written out as a matrix first.
void CoreInstructions::load3d(aicore::Load3dOp op) {
  Type *from = values.elementOf(op.getSource());
  Value *windows = emitWindows(op, e, values), *size = e.number(e.bytesOf(from));
  Value *pixels = values.value(op.getPixels()), *depth = values.value(op.getDepth());
  const ArrayRef<int64_t> tile = cast<mlir::MemRefType>(op.getTarget().getType()).getShape();
  Value *step = e.number(tile[1] * e.bytesOf(from));
  fillL0(op.getTarget(), op.getTargetSlot(), windows, step, size, pixels, depth, from,
         /*mayReadBeyond=*/false);
}

void CoreInstructions::fillL0(mlir::Value target, mlir::Value slot, Value *source, Value *rowStep,
                              Value *columnStep, Value *rows, Value *columns, Type *from,
                              bool mayReadBeyond) {
  Type *wide = from->isFloatingPointTy() ? e.f32() : b.getInt32Ty();
  Value *to = values.buffer(target, slot);
  ArrayRef<int64_t> tile = cast<mlir::MemRefType>(target.getType()).getShape();
  if (aicore::spaceOf(target) == Space::l0b) {
    b.CreateCall(packPanels(e, multiplyOf(from), from),
                 {to, source, rowStep, columnStep, e.number(tile[0] * 4), rows, columns});
    return;
  }
  // L1 is zero up to whole fractals, so whole register tiles of rows are there to copy. A tensor
  // ends where it ends, and so does a tile of other rows; sums of the rows beyond go nowhere.
  const bool isWhole = mayReadBeyond && tile[0] % e.target.rows() == 0;
  b.CreateCall(moveElements(e, from, wide),
               {to, source, e.number(tile[1] * 4), rowStep, columnStep,
                isWhole ? e.roundUp(rows, e.target.rows()) : rows, columns});
}

// The next transfer to L0 mostly follows along k: it is prefetched while this tile is multiplied.
void CoreInstructions::prefetchNextStep(aicore::LoadL0Op op, Value *source, Value *rowStep,
                                        Value *columnStep, Value *rows, Value *columns) {
  const bool isB = aicore::spaceOf(op.getTarget()) == Space::l0b;
  Value *distance = isB ? b.CreateMul(rowStep, rows) : b.CreateMul(columnStep, columns);
  Value *size = e.number(e.bytesOf(values.elementOf(op.getSource())));
  Value *isDense = b.CreateICmpEQ(columnStep, size);
  Value *length = b.CreateMul(b.CreateSelect(isDense, columns, rows), size);
  b.CreateCall(prefetchRows(e),
               {e.offset(source, distance), b.CreateSelect(isDense, rowStep, columnStep),
                b.CreateSelect(isDense, rows, columns), length});
}

void CoreInstructions::mmad(aicore::MmadOp op) {
  auto alloc = op.getAcc().getDefiningOp<aicore::AllocOp>();
  if (!alloc)
    return values.fail(op);
  ArrayRef<int64_t> tile = cast<mlir::MemRefType>(op.getAcc().getType()).getShape();
  Value *acc = values.buffer(op.getAcc(), op.getAccSlot(), op.getPart());
  Value *m = values.value(op.getM()), *n = values.value(op.getN());
  Value *first = values.value(op.getFirst());
  if (op.getBias()) {
    // Each row starts from the same row, of the same columns.
    Value *row = e.offset(values.buffer(op.getBias(), op.getBiasSlot()),
                          op.getPart().value_or(0) * alloc.getPartWidth() *
                              aicore::elementBytes(op.getBias().getType()));
    e.when(first, [&] {
      copy(acc, values.rowBytes(op.getAcc()), row, 0, m, n, values.elementOf(op.getAcc()));
    });
    first = b.getFalse();
  }
  const int64_t lanes = e.target.lanes,
                depth = cast<mlir::MemRefType>(op.getB().getType()).getShape()[0];
  const bool isPadded =
      tile[0] % e.target.rows() == 0 && tile[1] % lanes == 0 && alloc.getPartWidth() % lanes == 0;
  b.CreateCall(mmadFunction(e, multiplyOf(values.elementOf(op.getA())), tile[1], depth, isPadded),
               {values.buffer(op.getA(), op.getASlot()), values.buffer(op.getB(), op.getBSlot()),
                acc, m, n, values.value(op.getK()), first});
}

void CoreInstructions::vector(aicore::VectorOp op) {
  VectorCall call = vectorFunction(e, op, /*writesScratch=*/watched);
  if (!call.function)
    return values.fail(op);
  SmallVector<Value *> arguments;
  for (mlir::BlockArgument argument : op.getBody().getArguments()) {
    const aicore::VectorTile tile = op.tile(argument);
    if (tile.role == aicore::VectorTile::Role::registers) {
      arguments.push_back(ConstantPointerNull::get(PointerType::getUnqual(b.getContext())));
      continue;
    }
    Value *at = values.buffer(tile.buffer, tile.slot);
    if (auto alloc = tile.buffer.getDefiningOp<aicore::AllocOp>(); alloc && tile.copy > 0)
      at = e.offset(at, tile.copy * values.copyBytes(alloc));
    arguments.push_back(at);
  }
  arguments.push_back(values.value(op.getRows()));
  arguments.push_back(values.value(op.getColumns()));
  for (mlir::Value scalar : call.scalars)
    arguments.push_back(values.value(scalar));
  b.CreateCall(call.function, arguments);
}

void CoreInstructions::reduce(aicore::ReduceOp op) {
  SmallVector<Value *> arguments = {values.buffer(op.getSource(), op.getSlot())};
  for (auto [target, slot] : zip(op.getTargets(), op.getTargetSlots()))
    arguments.push_back(values.buffer(target, slot));
  arguments.push_back(values.value(op.getRows()));
  arguments.push_back(values.value(op.getColumns()));
  b.CreateCall(reduceFunction(e, op), arguments);
}

void CoreInstructions::store(aicore::StoreOp op) {
  writeOut(op, values.buffer(op.getSource(), op.getSlot()));
}

void CoreInstructions::fixpipe(aicore::FixpipeOp op) {
  Value *source = values.buffer(op.getSource(), op.getSlot(), op.getPart());
  if (op.getSlope())
    return writeOut(op, source, OnTheWay::leakyRelu, slopeOf(op));
  writeOut(op, source, op.getRelu() ? OnTheWay::relu : OnTheWay::nothing);
}

/// The bits of the slope that count, the others zero.
Value *CoreInstructions::slopeOf(aicore::FixpipeOp op) {
  Value *slope = values.value(op.getSlope());
  const auto cut = static_cast<unsigned>(32 - *op.getSlopeBits());
  Value *bits = b.CreateAnd(b.CreateBitCast(slope, b.getInt32Ty()), b.getInt32(~0U << cut));
  return b.CreateBitCast(bits, b.getFloatTy());
}

void CoreInstructions::spill(aicore::SpillOp op) {
  const int64_t toRow = values.rowBytes(op.getTarget());
  Value *target = values.buffer(op.getTarget(), op.getTargetSlot());
  if (op.getRow())
    target = e.offset(target, b.CreateMul(values.value(op.getRow()), e.number(toRow)));
  if (op.getColumn())
    target = e.offset(target, b.CreateMul(values.value(op.getColumn()),
                                          e.number(e.bytesOf(values.elementOf(op.getTarget())))));
  copy(target, toRow, values.buffer(op.getSource(), op.getSlot(), op.getPart()),
       values.rowBytes(op.getSource()), values.value(op.getRows()), values.value(op.getColumns()),
       values.elementOf(op.getSource()));
}

template <typename Op>
void CoreInstructions::move(Op op, std::optional<int64_t> part, Value *row, Value *rows) {
  const int64_t fromRow = values.rowBytes(op.getSource());
  Value *source = e.offset(values.buffer(op.getSource(), op.getSlot(), part),
                           b.CreateMul(row, e.number(fromRow)));
  copy(values.buffer(op.getTarget(), op.getTargetSlot()), values.rowBytes(op.getTarget()), source,
       fromRow, rows, values.value(op.getColumns()), values.elementOf(op.getSource()));
}

void CoreInstructions::fetch(aicore::FetchOp op) {
  move(op, {}, values.value(op.getRow()), values.value(op.getRows()));
}

// The cube core of a split chip divides the rows over its vector cores.
void CoreInstructions::drain(aicore::DrainOp op) {
  aicore::MachineAttr machine = aicore::machineOf(op);
  Value *row = values.value(op.getRow()), *rows = values.value(op.getRows());
  if (!machine || !machine.cubeFillsUb())
    return move(op, op.getPart(), row, rows);
  Value *cores = e.number(machine.getVectorCores());
  Value *share = b.CreateUDiv(b.CreateAdd(rows, e.number(machine.getVectorCores() - 1)), cores);
  Value *outer = values.vectorCore;
  e.loop(e.number(0), cores, e.number(1), [&](Value *core) {
    values.vectorCore = core;
    Value *first = b.CreateMul(core, share);
    Value *rest = b.CreateBinaryIntrinsic(Intrinsic::smax, e.number(0), b.CreateSub(rows, first));
    move(op, op.getPart(), b.CreateAdd(row, first), e.min(share, rest));
  });
  values.vectorCore = outer;
}

void CoreInstructions::copy(Value *to, int64_t toRow, Value *from, int64_t fromRow, Value *rows,
                            Value *columns, Type *element) {
  b.CreateCall(copyRows(e, element, element),
               {to, from, e.number(toRow), e.number(fromRow), rows, columns});
}

template <typename Op>
void CoreInstructions::writeOut(Op op, Value *source, OnTheWay onTheWay, Value *slope) {
  const GlobalTensor &tensor = values.global(op.getTarget());
  Type *from = values.elementOf(op.getSource()), *to = values.elementOf(op.getTarget());
  Value *size = e.number(e.bytesOf(to));
  Value *target = values.address(tensor, op.getOffsets(), to);
  Value *fromRow = e.number(values.rowBytes(op.getSource()));
  const unsigned rowDim = op.getOuter().size();
  Value *rows = values.value(op.getRows()), *columns = values.value(op.getColumns());
  auto copyTo = [&](Value *into, Value *first, Value *count) {
    SmallVector<Value *> arguments = {into,    first, stepOf(op, rowDim, tensor, size),
                                      fromRow, rows,  count};
    if (slope)
      arguments.push_back(slope);
    b.CreateCall(copyRows(e, from, to, onTheWay), arguments);
  };
  const int64_t last = cast<mlir::MemRefType>(op.getTarget().getType()).getRank() - 1;
  const bool isDense = op.getAlong()[rowDim + 1] == last && op.stepOf(rowDim + 1) == 1;
  auto writeRows = [&](Value *into, Value *first) {
    if (isDense)
      return copyTo(into, first, columns);
    e.loop(e.number(0), columns, e.number(1), [&](Value *column) {
      copyTo(e.offset(into, b.CreateMul(column, stepOf(op, rowDim + 1, tensor, size))),
             e.offset(first, b.CreateMul(column, e.number(e.bytesOf(from)))), e.number(1));
    });
  };
  if (rowDim == 0)
    return writeRows(target, source);
  forEachOuter(op, tensor, size, [&](Value *row, Value *offset, Value *) {
    writeRows(e.offset(target, offset), e.offset(source, b.CreateMul(row, fromRow)));
  });
}

} // namespace mmk
