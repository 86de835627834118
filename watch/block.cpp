#include "watch/block.h"

#include "ir/merged_dims.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace mlir;
using llvm::formatv;

namespace mmk {

BlockWatch::BlockWatch(const WatchedKernel &kernel, int64_t phase, int64_t block)
    : kernel_(kernel), phase_(phase), block_(block), hazards_(kernel.machine),
      tensors_(kernel.tensors) {}

bool BlockWatch::step(int64_t number, unsigned unit, const int64_t *operands) {
  op_ = number;
  unit_ = unit;
  operands_ = operands;
  isLegal_ = true;
  Operation *op = kernel_.ops[number];
  if (auto workspace = dyn_cast<aicore::WorkspaceOp>(op)) {
    WatchedTensor &tensor = tensors_[kernel_.tensorNumbers.lookup(workspace.getResult())];
    tensor.extents.assign(operands, operands + op->getNumOperands());
  } else if (auto it = dyn_cast<aicore::Instruction>(op)) {
    if (toPoison_)
      poison(*std::exchange(toPoison_, std::nullopt));
    ++report_.instructions;
    pipe_ = aicore::machinePipe(it.getPipe());
    instruction(it);
  } else {
    ++report_.flags;
    flag(op);
  }
  return isLegal_;
}

void BlockWatch::finish() {
  hazards_.finish();
  takeHazards("", [](const Hazard &) { return ""; });
}

void BlockWatch::poison(const CoreMemories &memories) {
  const Machine &machine = kernel_.machine;
  const int64_t cores = machine.topology == Topology::split ? machine.vectorCoresPerCube : 1;
  for (const auto &[value, buffer] : kernel_.buffers) {
    const aicore::Space space = aicore::spaceOf(value);
    const int64_t width = buffer.emulatedBytes;
    for (int64_t core = 0; core < (space == aicore::Space::ub ? cores : 1); ++core)
      std::memset(memories.memory[static_cast<unsigned>(space)] + core * memories.ubStride +
                      buffer.offset * width,
                  poisonByte(buffer.isFloat), buffer.copies * buffer.stride * width);
  }
}

//===--- ops ------------------------------------------------------------------------------===//

void BlockWatch::flag(Operation *op) {
  auto pipe = [](aicore::Pipe pipe) { return aicore::machinePipe(pipe); };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](aicore::SetFlagOp it) {
        hazards_.setFlag(unit_, pipe(it.getFrom()), pipe(it.getTo()),
                         it.getEvent() + at(it.getSlotMutable()), op_);
      })
      .Case([&](aicore::WaitFlagOp it) {
        hazards_.waitFlag(unit_, pipe(it.getFrom()), pipe(it.getTo()),
                          it.getEvent() + at(it.getSlotMutable()), op_);
      })
      .Case([&](aicore::SetCrossOp it) {
        hazards_.setCross(unit_, pipe(it.getPipe()), it.getFlag() + at(it.getSlotMutable()), op_);
      })
      .Case([&](aicore::WaitCrossOp it) {
        hazards_.waitCross(unit_, pipe(it.getPipe()), it.getFlag() + at(it.getSlotMutable()), op_);
      })
      .Case([&](aicore::BarrierOp) { hazards_.barrierOfAll(unit_); });
  takeHazards("", [](const Hazard &) { return ""; });
}

void BlockWatch::instruction(aicore::Instruction op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](aicore::LoadOp it) {
        Rectangle part = rectangle(it.getRowsMutable(), it.getColumnsMutable());
        auto padded = [pad = static_cast<int64_t>(it.getPad())](int64_t extent) {
          return (extent + pad - 1) / pad * pad;
        };
        part.rows = transfer(it, it.getSource(), Use::reads);
        touch(it.getTarget(), at(it.getSlotMutable()), {padded(part.rows), padded(part.columns)},
              Use::writes);
      })
      .Case([&](aicore::StoreOp it) {
        Rectangle part = rectangle(it.getRowsMutable(), it.getColumnsMutable());
        part.rows *= outerCount(it);
        touch(it.getSource(), at(it.getSlotMutable()), part, Use::reads);
        transfer(it, it.getTarget(), Use::writes);
      })
      .Case([&](aicore::FixpipeOp it) {
        Rectangle part = rectangle(it.getRowsMutable(), it.getColumnsMutable());
        part.rows *= outerCount(it);
        part.column = columnOf(it.getSource(), it.getPart());
        touch(it.getSource(), at(it.getSlotMutable()), part, Use::reads);
        transfer(it, it.getTarget(), Use::writes);
      })
      .Case([&](aicore::LoadL0Op it) {
        Rectangle part = rectangle(it.getRowsMutable(), it.getColumnsMutable());
        const Rectangle target =
            it.getTransposed() ? Rectangle{part.columns, part.rows} : Rectangle(part);
        part.row = at(it.getRowMutable());
        part.column = at(it.getColumnMutable());
        touch(it.getSource(), at(it.getSlotMutable()), part, Use::reads);
        touch(it.getTarget(), at(it.getTargetSlotMutable()), target, Use::writes);
      })
      .Case([&](aicore::Load3dOp it) { windows(it); })
      .Case([&](aicore::MmadOp it) {
        touch(it.getA(), at(it.getASlotMutable()), rectangle(it.getMMutable(), it.getKMutable()),
              Use::reads);
        touch(it.getB(), at(it.getBSlotMutable()), rectangle(it.getKMutable(), it.getNMutable()),
              Use::reads);
        Rectangle sum = rectangle(it.getMMutable(), it.getNMutable());
        sum.column = columnOf(it.getAcc(), it.getPart());
        touch(it.getAcc(), at(it.getAccSlotMutable()), sum,
              at(it.getFirstMutable()) ? Use::writes : Use::updates);
        if (it.getBias() && at(it.getFirstMutable()))
          touch(it.getBias(), at(it.getBiasSlotMutable()[0]), {1, sum.columns, 0, sum.column},
                Use::reads);
      })
      .Case([&](aicore::SpillOp it) {
        Rectangle part = rectangle(it.getRowsMutable(), it.getColumnsMutable());
        touch(it.getSource(), at(it.getSlotMutable()),
              {part.rows, part.columns, 0, columnOf(it.getSource(), it.getPart())}, Use::reads);
        if (it.getRow())
          part.row = at(it.getRowMutable()[0]);
        if (it.getColumn())
          part.column = at(it.getColumnMutable()[0]);
        touch(it.getTarget(), at(it.getTargetSlotMutable()), part, Use::writes);
      })
      .Case([&](aicore::FetchOp it) {
        const Rectangle part = rectangle(it.getRowsMutable(), it.getColumnsMutable());
        touch(it.getSource(), at(it.getSlotMutable()),
              {part.rows, part.columns, at(it.getRowMutable()), 0}, Use::reads);
        touch(it.getTarget(), at(it.getTargetSlotMutable()), part, Use::writes);
      })
      .Case([&](aicore::DrainOp it) { drain(it); })
      .Case([&](aicore::TileInstruction it) { tiles(it); })
      .Default([&](Operation *) { vectorInstruction(op); });
}

// The cube core of a split chip divides the rows over its vector cores.
void BlockWatch::drain(aicore::DrainOp op) {
  const Rectangle part = rectangle(op.getRowsMutable(), op.getColumnsMutable());
  touch(op.getSource(), at(op.getSlotMutable()),
        {part.rows, part.columns, at(op.getRowMutable()), columnOf(op.getSource(), op.getPart())},
        Use::reads);
  const int64_t slot = at(op.getTargetSlotMutable());
  if (kernel_.machine.topology != Topology::split)
    return touch(op.getTarget(), slot, part, Use::writes);
  const int64_t cores = kernel_.machine.vectorCoresPerCube, share = (part.rows + cores - 1) / cores;
  for (int64_t core = 0; core < cores; ++core)
    touch(op.getTarget(), slot,
          {std::clamp<int64_t>(part.rows - core * share, 0, share), part.columns}, Use::writes,
          static_cast<unsigned>(core + 1));
}

// What fills or reads buffers in UB alone, and windows.
void BlockWatch::vectorInstruction(aicore::Instruction op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](aicore::VectorOp it) { vector(it); })
      .Case([&](aicore::ReduceOp it) {
        const Rectangle whole = rectangle(it.getRowsMutable(), it.getColumnsMutable());
        touch(it.getSource(), at(it.getSlotMutable()), whole, Use::reads);
        for (auto [i, target] : llvm::enumerate(it.getTargets()))
          touch(target, at(it.getTargetSlotsMutable()[i]),
                {1, it.getByRows() ? whole.columns : whole.rows}, Use::writes);
      })
      .Case([&](aicore::ScanOp it) {
        const Rectangle whole = rectangle(it.getRowsMutable(), it.getColumnsMutable());
        touch(it.getSource(), at(it.getSlotMutable()), whole, Use::reads);
        touch(it.getCarry(), at(it.getCarrySlotMutable()),
              {1, it.getByRows() ? whole.columns : whole.rows}, Use::updates);
        touch(it.getTarget(), at(it.getTargetSlotMutable()), whole, Use::writes);
      })
      .Case([&](aicore::WindowOp it) { window(it); })
      .Case([&](aicore::ScalarRangeOp it) {
        transfer(
            it.getSource(), offsetsOf(it.getOffsetsMutable()),
            {ViewDim{-1, 1}, ViewDim{static_cast<int64_t>(it.getAlong()), at(it.getSizeMutable())}},
            Use::reads);
      })
      .Case([&](aicore::PositionsOp it) {
        touch(it.getTarget(), at(it.getSlotMutable()), {1, at(it.getColumnsMutable())},
              Use::writes);
      })
      .Case([&](aicore::RandomOp it) {
        touch(it.getTarget(), at(it.getSlotMutable()),
              rectangle(it.getRowsMutable(), it.getColumnsMutable()), Use::writes);
      });
}

// The lines that are in L1, of the channels of the part.
void BlockWatch::windows(aicore::Load3dOp op) {
  const auto block = static_cast<int64_t>(op.getBlock());
  const int64_t taps = at(op.getTapRowsMutable()) * at(op.getTapColumnsMutable()),
                from = at(op.getFromMutable()), depth = at(op.getDepthMutable()),
                pixels = at(op.getPixelsMutable()), ofBlock = taps * block;
  if (depth <= 0 || ofBlock <= 0)
    return;
  const int64_t firstBlock = from / ofBlock, lastBlock = (from + depth - 1) / ofBlock;
  const Rectangle image{at(op.getLinesMutable()) * at(op.getWidthMutable()),
                        (lastBlock - firstBlock + 1) * block, 0, firstBlock * block};
  touch(op.getSource(), at(op.getSlotMutable()), image, Use::reads);
  touch(op.getTarget(), at(op.getTargetSlotMutable()), Rectangle{pixels, depth}, Use::writes);
}

// Each element that is inside of the tensor; without a padding all have to be.
void BlockWatch::window(aicore::WindowOp op) {
  const Rectangle part = rectangle(op.getRowsMutable(), op.getColumnsMutable());
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> symbols;
  for (int64_t symbol : offsetsOf(op.getSymbolsMutable()))
    symbols.push_back(getAffineConstantExpr(symbol, context));
  const AffineMap map = op.getMap().replaceDimsAndSymbols(
      {getAffineDimExpr(0, context), getAffineDimExpr(1, context)}, symbols, 2, 0);
  const ArrayRef<int64_t> extents = tensors_[kernel_.tensorNumbers.lookup(op.getSource())].extents;
  for (int64_t row = 0; row < part.rows; ++row)
    for (int64_t column = 0; column < part.columns; ++column) {
      const SmallVector<int64_t> indices = map.compose({row, column});
      const bool isInside = llvm::all_of(llvm::zip(indices, extents), [](auto it) {
        return std::get<0>(it) >= 0 && std::get<0>(it) < std::get<1>(it);
      });
      if (isInside || !op.getPadding())
        transfer(op.getSource(), indices, {ViewDim{-1, 1}, ViewDim{-1, 1}}, Use::reads);
    }
  touch(op.getTarget(), at(op.getSlotMutable()), part, Use::writes);
}

void BlockWatch::tiles(aicore::TileInstruction op) {
  for (const aicore::GlobalTile &tile : op.getTiles()) {
    const SmallVector<int64_t> first = offsetsOf(tile.offsets);
    int64_t planes = 1;
    for (const auto &[along, extent] : tile.outer)
      planes *= at(*extent);
    for (int64_t plane = 0; plane < planes; ++plane) {
      SmallVector<int64_t> offsets = first;
      int64_t number = plane;
      for (const auto &[along, extent] : llvm::reverse(tile.outer)) {
        offsets[along] += number % at(*extent);
        number /= at(*extent);
      }
      transfer(tile.tensor, offsets,
               {ViewDim{tile.along[0], tile.rows ? at(*tile.rows) : 1},
                ViewDim{tile.along[1], tile.columns ? at(*tile.columns) : 1}},
               tile.writes ? Use::writes : Use::reads);
    }
  }
}

void BlockWatch::vector(aicore::VectorOp op) {
  const int64_t rows = at(op.getRowsMutable()), columns = at(op.getColumnsMutable());
  auto slot = [&](MutableOperandRange slots, size_t i) { return at(slots[i]); };
  for (auto [i, input, broadcast] :
       llvm::enumerate(op.getInputs(), op.getBroadcasts().getAsRange<aicore::BroadcastAttr>())) {
    // A column is held as a row.
    Rectangle part{rows, columns};
    switch (broadcast.getValue()) {
    case aicore::Broadcast::full:
      break;
    case aicore::Broadcast::row:
      part = {1, columns};
      break;
    case aicore::Broadcast::column:
      part = {1, rows};
      break;
    case aicore::Broadcast::single:
      part = {1, 1};
      break;
    }
    touch(input, slot(op.getInputSlotsMutable(), i), part, Use::reads);
  }
  for (auto [i, output] : llvm::enumerate(op.getOutputs()))
    touch(output, slot(op.getOutputSlotsMutable(), i), {rows, columns}, Use::writes);
  for (auto [scratch, copy] : llvm::zip(op.getScratch(), op.getScratchCopies())) {
    ArrayRef<int64_t> shape = cast<MemRefType>(scratch.getType()).getShape();
    touch(scratch, copy, {shape[0], shape[1]}, Use::writes);
  }
}

//===--- accesses -------------------------------------------------------------------------===//

void BlockWatch::refuse(Hazard::What what, const std::string &does, const std::string &holder,
                        const std::string &place, const std::string &memory) {
  isLegal_ = false;
  WatchFault fault;
  fault.what = what;
  fault.phase = phase_;
  fault.block = block_;
  fault.op = kernel_.ops[op_];
  const unsigned pipe = unit_ * allPipes.size() + static_cast<unsigned>(pipe_);
  fault.pipe = spelling(pipe_);
  fault.unit = unitName(pipe);
  fault.message = kernel_.instructionName(op_, pipe, unit_ != 0) + " " + does;
  fault.holder = holder;
  fault.place = place;
  fault.memory = memory;
  addFault(report_.faults, fault);
}

void BlockWatch::takeHazards(const std::string &holder,
                             llvm::function_ref<std::string(const Hazard &)> placeOf) {
  for (const Hazard &hazard : hazards_.takeHazards()) {
    WatchFault fault = kernel_.describe(hazard, holder, placeOf(hazard));
    fault.phase = phase_;
    fault.block = block_;
    addFault(report_.faults, fault);
  }
}

void BlockWatch::touch(mlir::Value value, int64_t slot, Rectangle part, Use use,
                       std::optional<unsigned> core) {
  if (part.rows <= 0 || part.columns <= 0)
    return;
  ++report_.accesses;
  const WatchedBuffer &buffer = kernel_.buffers.find(value)->second;
  auto place = [&] { return formatv("slot {0} of {1}", slot, buffer.name).str(); };
  if (slot < 0 || slot >= buffer.copies)
    return refuse(Hazard::What::outOfBounds,
                  formatv("takes {0}, which has {1} {2}", place(), buffer.copies,
                          buffer.copies == 1 ? "slot" : "slots"),
                  buffer.name, place(), buffer.memoryName);
  if (part.row < 0 || part.column < 0 || part.row + part.rows > buffer.rows ||
      part.column + part.columns > buffer.columns)
    return refuse(Hazard::What::outOfBounds,
                  formatv("takes rows {0} to {1} and columns {2} to {3} of {4}, which has {5} rows "
                          "and {6} columns",
                          part.row, part.row + part.rows - 1, part.column,
                          part.column + part.columns - 1, place(), buffer.rows, buffer.columns),
                  buffer.name, place(), buffer.memoryName);
  WatchedMemory memory = buffer.memory;
  // Of the memories of cores, each vector core has a UB of its own.
  if (memory.kind == WatchedMemory::Kind::core && memory.memory == Memory::ub)
    memory.number = core.value_or(unit_);
  const int64_t pitch = buffer.columns * buffer.elementBytes;
  const int64_t offset =
      buffer.offset + slot * buffer.stride + part.row * pitch + part.column * buffer.elementBytes;
  hazards_.access(unit_, pipe_, op_, memory,
                  {offset, part.rows, pitch, part.columns * buffer.elementBytes},
                  use != Use::writes, use != Use::reads);
  takeHazards(buffer.name, [&](const Hazard &) { return place(); });
}

SmallVector<int64_t> BlockWatch::offsetsOf(MutableOperandRange operands) const {
  SmallVector<int64_t> offsets;
  for (OpOperand &operand : operands)
    offsets.push_back(at(operand));
  return offsets;
}

template <typename Op> int64_t BlockWatch::outerCount(Op op) const {
  int64_t count = 1;
  for (size_t dim = 0; dim < op.getOuter().size(); ++dim)
    count *= at(op.getSizesMutable()[dim]);
  return count;
}

/// The extent at which the rows of a view are clipped, which run along `dim`; nothing for others.
template <typename Op>
static std::optional<int64_t> clippedAt(Op op, const WatchedTensor &tensor, int64_t dim) {
  if constexpr (std::is_same_v<Op, aicore::LoadOp>)
    if (op.getClipped()) {
      int64_t extent = 1;
      for (int64_t bounding : aicore::boundingDims(op, dim))
        extent *= tensor.extents[bounding];
      return extent;
    }
  return std::nullopt;
}

// A view of more than two dimensions is one of two for each index of the others. Gives the rows of
// all.
template <typename Op> int64_t BlockWatch::transfer(Op op, mlir::Value value, Use use) {
  const size_t rank = op.getSizes().size();
  const ArrayRef<int64_t> along = op.getAlong();
  auto dim = [&](size_t i) {
    return ViewDim{along[i], at(op.getSizesMutable()[i]), op.stepOf(i),
                   i == rank - 1 ? op.columnDims() : 1};
  };
  const int64_t count = outerCount(op);
  SmallVector<int64_t> offsets = offsetsOf(op.getOffsetsMutable());
  const std::optional<int64_t> end =
      clippedAt(op, tensors_[kernel_.tensorNumbers.lookup(value)], along[rank - 2]);
  for (int64_t number = 0; number < count; ++number) {
    SmallVector<int64_t> own = offsets;
    int64_t rest = number;
    for (size_t i = rank - 2; i-- > 0; rest /= dim(i).size)
      if (along[i] >= 0)
        own[along[i]] += rest % dim(i).size * dim(i).step;
    ViewDim rows = dim(rank - 2);
    if (end)
      rows.size = std::clamp<int64_t>(*end - own[rows.along], 0, rows.size);
    transfer(value, own, {rows, dim(rank - 1)}, use);
  }
  return count * dim(rank - 2).size;
}

void BlockWatch::transfer(mlir::Value value, ArrayRef<int64_t> offsets, const View &view, Use use) {
  const auto &[rows, columns] = view;
  if (rows.size <= 0 || columns.size <= 0)
    return;
  ++report_.accesses;
  const WatchedTensor &tensor = tensors_[kernel_.tensorNumbers.lookup(value)];
  int64_t rowStride = 0, columnStride = 0, offset = 0, stride = tensor.elementBytes;
  for (int64_t dim = offsets.size() - 1; dim >= 0; --dim) {
    const int64_t first = offsets[dim];
    const int64_t extent = tensor.extentOf(dim, offsets, dim == columns.along ? columns.joined : 1);
    int64_t length = 1;
    for (const ViewDim &each : view)
      if (each.along == dim)
        length += (each.size - 1) * each.step;
    if (first < 0 || first + length > extent)
      return refuse(Hazard::What::outOfBounds,
                    formatv("takes elements {0} to {1} along dimension {2} of {3}, which has {4}",
                            first, first + length - 1, dim, tensor.name, extent),
                    tensor.name, tensor.name, "gm");
    if (dim == rows.along)
      rowStride = stride * rows.step;
    if (dim == columns.along)
      columnStride = stride * columns.step;
    offset += first * stride;
    stride *= tensor.extents[dim];
  }
  if (tensor.kind != WatchedTensor::Kind::argument)
    return touchTensor(tensor, offset, {0, rows.size, rowStride, 0}, columnStride, columns.size,
                       use);
  if (use != Use::reads)
    refuse(Hazard::What::argument,
           formatv("writes {0}, an argument, which is only to be read", tensor.name), tensor.name,
           tensor.name, "gm");
}

// Along whichever dimension is dense in memory.
void BlockWatch::touchTensor(const WatchedTensor &tensor, int64_t offset, WatchedBytes rows,
                             int64_t columnStride, int64_t columns, Use use) {
  const WatchedMemory memory{WatchedMemory::Kind::tensor, tensor.number, {}};
  auto access = [&](WatchedBytes bytes) {
    hazards_.access(unit_, pipe_, op_, memory, bytes, use != Use::writes, use != Use::reads);
  };
  const int64_t element = tensor.elementBytes;
  if (columns == 1 || columnStride == element)
    access({offset, rows.rows, rows.pitch, columns * element});
  else if (rows.rows == 1 || rows.pitch == element)
    access({offset, columns, columnStride, rows.rows * element});
  else
    for (int64_t row = 0; row < rows.rows; ++row)
      access({offset + row * rows.pitch, columns, columnStride, element});
  takeHazards(tensor.name,
              [&](const Hazard &hazard) { return tensor.elements(hazard.begin, hazard.end); });
}

} // namespace mmk
