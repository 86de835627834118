// Instructions of an emulated core: their pipes, their accesses and their verifiers.
#include "ir/instructions.h"

#include "ir/image_limit.h"

using namespace mlir;

namespace mmk::aicore {

// Buffers and pipes are one resource each for upstream passes: none may drop, merge or reorder
// instructions with hazards; the project's own analyses distinguish the buffers.
void effectsOf(Instruction op,
               SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (const Access &access : op.getAccesses()) {
    OpOperand *operand = nullptr;
    for (OpOperand &candidate : op->getOpOperands())
      if (candidate.get() == access.buffer)
        operand = &candidate;
    if (access.reads)
      effects.emplace_back(MemoryEffects::Read::get(), operand);
    if (access.writes)
      effects.emplace_back(MemoryEffects::Write::get(), operand);
  }
  // The pipe's queue: an order between instructions that no pass may change.
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

Access reading(Value buffer, Value slot, std::optional<int64_t> part) {
  return {buffer, slot, false, true, part};
}
Access writing(Value buffer, Value slot) { return {buffer, slot, true, false}; }

LogicalResult expectSpace(Operation *op, StringRef role, Value buffer, ArrayRef<Space> legal) {
  if (llvm::is_contained(legal, spaceOf(buffer)))
    return success();
  InFlightDiagnostic error = op->emitOpError("expected ") << role << " in ";
  llvm::interleave(
      legal, [&](Space space) { error << stringifySpace(space); }, [&] { error << " or "; });
  return error << ", found " << stringifySpace(spaceOf(buffer));
}

// On-chip buffers, and the block's own pieces of global memory, have rows and columns.
LogicalResult expectBuffer(Operation *op, StringRef role, Value buffer, ArrayRef<Space> legal) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() != 2)
    return op->emitOpError("expected two dimensions of ") << role << ", found " << type;
  return expectSpace(op, role, buffer, legal);
}

// A vector core has no cube and none of its memories.
LogicalResult expectOnCubeCore(Operation *op, Pipe pipe) {
  if (unitOf(op) == Unit::cube_core)
    return success();
  return op->emitOpError("stands inside of aicore.vector_cores, but ")
         << stringifyPipe(pipe) << " is a pipe of the cube core";
}

/// Whether there is an offset for each dimension of the tensor, and `along` names some of these.
static LogicalResult expectDims(Operation *op, Value tensor, OperandRange offsets,
                                ArrayRef<int64_t> along) {
  const int64_t rank = cast<MemRefType>(tensor.getType()).getRank();
  if (static_cast<int64_t>(offsets.size()) != rank)
    return op->emitOpError("expected ") << rank << " offsets, found " << offsets.size();
  for (int64_t dim : along)
    if (dim < -1 || dim >= rank)
      return op->emitOpError("along names dimension ") << dim << " of a tensor of rank " << rank;
  return success();
}

LogicalResult expectAlong(Operation *op, Value tensor, OperandRange offsets,
                          ArrayRef<int64_t> along) {
  if (along.size() != 2)
    return op->emitOpError("expected along to name the dimension of the rows and of the columns");
  if (failed(expectDims(op, tensor, offsets, along)))
    return failure();
  if (along[0] == along[1] && along[0] != -1)
    return op->emitOpError("rows and columns both run along dimension ") << along[0];
  return success();
}

/// `mayOverlap`: two dimensions of a view that is only read may run along the same one.
template <typename Op> static LogicalResult expectView(Op op, Value tensor, bool mayOverlap) {
  const ArrayRef<int64_t> along = op.getAlong();
  const std::optional<ArrayRef<int64_t>> steps = op.getStep();
  if (op.getSizes().size() < 2)
    return op.emitOpError("expected the size of its rows and of its columns, found ")
           << op.getSizes().size();
  if (along.size() != op.getSizes().size())
    return op.emitOpError("expected along to name a dimension for each of its ")
           << op.getSizes().size() << " sizes, found " << along.size();
  if (failed(expectDims(op, tensor, op.getOffsets(), along)))
    return failure();
  const int64_t joined = op.columnDims(), rank = cast<MemRefType>(tensor.getType()).getRank();
  const auto isJoined = [&](int64_t dim) { return dim >= rank - joined; };
  if (joined != 1 && (joined < 1 || joined > rank ||
                      (along.back() != rank - 1 || llvm::any_of(along.drop_back(), isJoined))))
    return op.emitOpError("expected columns alone to run along the last ")
           << joined << " dimensions, which are joined";
  if (steps && steps->size() != along.size())
    return op.emitOpError("expected a step for each of its ")
           << along.size() << " sizes, found " << steps->size();
  if (steps)
    for (int64_t step : *steps)
      if (step < 1)
        return op.emitOpError("expected positive steps, found ") << step;
  if (steps && mayOverlap)
    return success();
  for (auto [i, dim] : llvm::enumerate(along))
    if (dim != -1 && llvm::is_contained(along.drop_front(i + 1), dim))
      return op.emitOpError("two dimensions of its view run along dimension ") << dim;
  return success();
}

LogicalResult expectSameElements(Operation *op, Value from, Value to) {
  Type a = cast<MemRefType>(from.getType()).getElementType();
  Type b = cast<MemRefType>(to.getType()).getElementType();
  if (a == b)
    return success();
  return op->emitOpError("expected equal element types, found ") << a << " and " << b;
}

LogicalResult verifySlots(Operation *instruction) {
  for (const Access &access : cast<Instruction>(instruction).getAccesses()) {
    auto slot = access.slot ? access.slot.getDefiningOp<SlotOp>() : SlotOp();
    if (!slot || slot.getBuffer() == access.buffer)
      continue;
    auto nameOf = [](Value buffer) {
      auto alloc = buffer.getDefiningOp<AllocOp>();
      return alloc ? ("'" + alloc.getName() + "' in " + stringifySpace(alloc.getSpace())).str()
                   : std::string("another buffer");
    };
    return instruction->emitOpError("takes a slot of ")
           << nameOf(slot.getBuffer()) << " for " << nameOf(access.buffer);
  }
  return success();
}

LogicalResult expectPart(Operation *op, Value buffer, std::optional<int64_t> part) {
  auto alloc = buffer.getDefiningOp<AllocOp>();
  if (!part || !alloc || (*part >= 0 && *part < static_cast<int64_t>(alloc.getParts())))
    return success();
  return op->emitOpError("takes part ")
         << *part << " of " << alloc.getName() << ", which has " << alloc.getPartsAttr().getInt();
}

MMK_EFFECTS(LoadOp)
Pipe LoadOp::getPipe() { return Pipe::mte2; }
SmallVector<Access> LoadOp::getAccesses() {
  return {reading(getSource()), writing(getTarget(), getSlot())};
}
LogicalResult LoadOp::verify() {
  if (failed(expectSpace(*this, "source", getSource(), {Space::gm})) ||
      failed(expectBuffer(*this, "target", getTarget(), {Space::l1, Space::ub})) ||
      failed(expectView(*this, getSource(), /*mayOverlap=*/true)) ||
      failed(expectSameElements(*this, getSource(), getTarget())))
    return failure();
  if (spaceOf(getTarget()) == Space::l1 && unitOf(*this) == Unit::vector_core)
    return emitOpError("stands inside of aicore.vector_cores, but l1 is a memory of the cube core");
  if (getPadAttr().getInt() < 1)
    return emitOpError("expected a positive pad, found ") << getPadAttr().getInt();
  if (getClipped() && getAlong().end()[-2] < 0)
    return emitOpError("is clipped, but its rows run along no dimension");
  return success();
}

MMK_EFFECTS(StoreOp)
Pipe StoreOp::getPipe() { return Pipe::mte3; }
SmallVector<Access> StoreOp::getAccesses() {
  return {reading(getSource(), getSlot()), writing(getTarget())};
}
LogicalResult StoreOp::verify() {
  if (failed(expectBuffer(*this, "source", getSource(), {Space::ub})) ||
      failed(expectSpace(*this, "target", getTarget(), {Space::gm})) ||
      failed(expectView(*this, getTarget(), /*mayOverlap=*/false)))
    return failure();
  return expectSameElements(*this, getSource(), getTarget());
}

MMK_EFFECTS(ScalarRangeOp)
Pipe ScalarRangeOp::getPipe() { return Pipe::scalar; }
SmallVector<Access> ScalarRangeOp::getAccesses() { return {reading(getSource())}; }
LogicalResult ScalarRangeOp::verify() {
  const auto along = static_cast<int64_t>(getAlong());
  if (failed(expectSpace(*this, "source", getSource(), {Space::gm})) ||
      failed(expectDims(*this, getSource(), getOffsets(), along)))
    return failure();
  auto type = cast<MemRefType>(getSource().getType());
  if (!type.getElementType().isInteger(32))
    return emitOpError("expected elements of i32, found ") << type.getElementType();
  const ArrayRef<int64_t> absent = getAbsent();
  if (absent.size() != 2 || absent[0] > absent[1] || !llvm::isInt<32>(absent[0]) ||
      !llvm::isInt<32>(absent[1]))
    return emitOpError("expected the least and the greatest i32 of absent elements, found ")
           << getAbsentAttr();
  return success();
}

MMK_EFFECTS(LoadL0Op)
Pipe LoadL0Op::getPipe() { return Pipe::mte1; }
SmallVector<Access> LoadL0Op::getAccesses() {
  return {reading(getSource(), getSlot()), writing(getTarget(), getTargetSlot())};
}
LogicalResult LoadL0Op::verify() {
  if (failed(expectOnCubeCore(*this, getPipe())) ||
      failed(expectBuffer(*this, "source", getSource(), {Space::l1})) ||
      failed(expectBuffer(*this, "target", getTarget(), {Space::l0a, Space::l0b, Space::bt})))
    return failure();
  if (spaceOf(getTarget()) == Space::bt && getTransposed())
    return emitOpError("transposes a row into the bias table, which takes it as it is");
  return expectSameElements(*this, getSource(), getTarget());
}

MMK_EFFECTS(Load3dOp)
Pipe Load3dOp::getPipe() { return Pipe::mte1; }
SmallVector<Access> Load3dOp::getAccesses() {
  return {reading(getSource(), getSlot()), writing(getTarget(), getTargetSlot())};
}

LogicalResult Load3dOp::verify() {
  if (failed(expectOnCubeCore(*this, getPipe())) ||
      failed(expectBuffer(*this, "source", getSource(), {Space::l1})) ||
      failed(expectBuffer(*this, "target", getTarget(), {Space::l0a})) ||
      failed(expectSameElements(*this, getSource(), getTarget())))
    return failure();
  const auto expectPair = [&](StringRef what, ArrayRef<int64_t> pair,
                              int64_t most) -> LogicalResult {
    if (pair.size() == 2 && llvm::all_of(pair, [&](int64_t it) { return it >= 1 && it <= most; }))
      return success();
    InFlightDiagnostic error = emitOpError("expected a ") << what << " of 1 to " << most
                                                          << " along lines and columns, found [";
    llvm::interleaveComma(pair, error);
    return error << "]";
  };
  if (failed(expectPair("stride", getStride(), load3d::mostStride)) ||
      failed(expectPair("dilation", getDilation(), load3d::mostDilation)))
    return failure();
  const auto left = static_cast<int64_t>(getLeft()), block = static_cast<int64_t>(getBlock());
  if (left < 0 || left > load3d::mostPadding)
    return emitOpError("expected 0 to ")
           << load3d::mostPadding << " columns of padding, found " << left;
  auto type = cast<MemRefType>(getSource().getType());
  if (block * elementBytes(type) != load3d::blockBytes || type.getShape()[1] % block != 0)
    return emitOpError("expected blocks of ")
           << load3d::blockBytes / elementBytes(type) << " channels, and whole ones in " << type
           << ", found blocks of " << block;
  return success();
}

MMK_EFFECTS(MmadOp)
Pipe MmadOp::getPipe() { return Pipe::cube; }
SmallVector<Access> MmadOp::getAccesses() {
  SmallVector<Access> accesses = {reading(getA(), getASlot()),
                                  reading(getB(), getBSlot()),
                                  {getAcc(), getAccSlot(), true, true, getPart()}};
  if (getBias())
    accesses.push_back(reading(getBias(), getBiasSlot()));
  return accesses;
}
LogicalResult MmadOp::verify() {
  if (failed(expectOnCubeCore(*this, getPipe())) ||
      failed(expectBuffer(*this, "A", getA(), {Space::l0a})) ||
      failed(expectBuffer(*this, "B", getB(), {Space::l0b})) ||
      failed(expectBuffer(*this, "the accumulator", getAcc(), {Space::l0c})) ||
      failed(expectSameElements(*this, getA(), getB())))
    return failure();
  auto a = cast<MemRefType>(getA().getType()), b = cast<MemRefType>(getB().getType());
  auto acc = cast<MemRefType>(getAcc().getType());
  if (a.getShape()[1] != b.getShape()[0] || a.getShape()[0] != acc.getShape()[0] ||
      b.getShape()[1] != acc.getShape()[1])
    return emitOpError("expected m x k times k x n into m x n, found ")
           << a << " times " << b << " into " << acc;
  Type expected = a.getElementType().isInteger() ? Type(IntegerType::get(getContext(), 32))
                                                 : Type(Float32Type::get(getContext()));
  if (acc.getElementType() != expected)
    return emitOpError("expected an accumulator of ")
           << expected << ", found " << acc.getElementType();
  if (Value bias = getBias()) {
    if (failed(expectBuffer(*this, "the bias", bias, {Space::bt})) ||
        failed(expectSameElements(*this, bias, getAcc())))
      return failure();
    auto row = cast<MemRefType>(bias.getType());
    if (row.getShape()[0] != 1 || row.getShape()[1] != acc.getShape()[1] || !getBiasSlot())
      return emitOpError("expected a bias of one row, as wide as the accumulator, and its slot, "
                         "found ")
             << row << " for " << acc;
  }
  return expectPart(*this, getAcc(), getPart());
}

MMK_EFFECTS(FixpipeOp)
Pipe FixpipeOp::getPipe() { return Pipe::fixpipe; }
SmallVector<Access> FixpipeOp::getAccesses() {
  return {reading(getSource(), getSlot(), getPart()), writing(getTarget())};
}
/// Leaky ReLU leads from f32 to f16, and takes the bits of its slope that the machine's does.
static LogicalResult verifyLeakyRelu(FixpipeOp op) {
  const Type from = cast<MemRefType>(op.getSource().getType()).getElementType(),
             to = cast<MemRefType>(op.getTarget().getType()).getElementType();
  if (op.getRelu())
    return op.emitOpError("has relu and leaky_relu; expected one of them");
  if (!from.isF32() || !to.isF16())
    return op.emitOpError("expected sums of f32 and a result of f16 for leaky_relu, found ")
           << from << " and " << to;
  const int64_t bits = op.getSlopeBits().value_or(0);
  if (bits < 1 || bits > 32)
    return op.emitOpError("expected 1 to 32 bits of the slope, found ") << bits;
  MachineAttr machine = machineOf(op);
  if (!machine || machine.getSlopeBits() == bits)
    return success();
  InFlightDiagnostic error = op.emitOpError("takes ")
                             << bits << " bits of the slope, but the fixpipe of "
                             << machine.getName().getValue();
  if (machine.getSlopeBits() == 0)
    return error << " does no leaky_relu";
  return error << " takes " << machine.getSlopeBits();
}

LogicalResult FixpipeOp::verify() {
  if (failed(expectOnCubeCore(*this, getPipe())) ||
      failed(expectBuffer(*this, "source", getSource(), {Space::l0c})) ||
      failed(expectSpace(*this, "target", getTarget(), {Space::gm})) ||
      failed(expectPart(*this, getSource(), getPart())))
    return failure();
  if (Type element = cast<MemRefType>(getSource().getType()).getElementType();
      getRelu() && !element.isF32())
    return emitOpError("expected sums of f32 for relu, found ") << element;
  if (getSlope() && failed(verifyLeakyRelu(*this)))
    return failure();
  return expectView(*this, getTarget(), /*mayOverlap=*/false);
}

MMK_EFFECTS(SpillOp)
Pipe SpillOp::getPipe() { return spaceOf(getSource()) == Space::ub ? Pipe::mte3 : Pipe::fixpipe; }
SmallVector<Access> SpillOp::getAccesses() {
  return {reading(getSource(), getSlot(), getPart()), writing(getTarget(), getTargetSlot())};
}
LogicalResult SpillOp::verify() {
  if (failed(expectBuffer(*this, "source", getSource(), {Space::l0c, Space::ub})) ||
      failed(expectBuffer(*this, "target", getTarget(), {Space::gm, Space::l1})) ||
      failed(expectPart(*this, getSource(), getPart())))
    return failure();
  if (spaceOf(getTarget()) == Space::l1 && spaceOf(getSource()) != Space::ub)
    return emitOpError("leads from l0c to l1, where only rows of ub go");
  if (spaceOf(getSource()) == Space::ub) {
    if (getColumn())
      return emitOpError("takes a column of its target, but rows of ub are spilled whole");
    return expectSameElements(*this, getSource(), getTarget());
  }
  if (failed(expectOnCubeCore(*this, getPipe())))
    return failure();
  if (getRow())
    return emitOpError("takes a row of its target, but an accumulator is spilled as a whole");
  if (getColumn() && getPart())
    return emitOpError("takes a column of its target, but a part has its own");
  auto from = cast<MemRefType>(getSource().getType()), to = cast<MemRefType>(getTarget().getType());
  int64_t width = from.getShape()[1];
  if (auto acc = getSource().getDefiningOp<AllocOp>(); acc && getPart())
    width = acc.getPartWidth();
  // An accumulator that products of several widths share may be wider than a target.
  if (to.getShape()[0] != from.getShape()[0] || (!getColumn() && to.getShape()[1] != width))
    return emitOpError("expected a target of the accumulator's shape")
           << (getPart() ? ", as wide as a part" : "") << ", found " << to << " for " << from;
  return expectSameElements(*this, getSource(), getTarget());
}

MMK_EFFECTS(FetchOp)
Pipe FetchOp::getPipe() { return Pipe::mte2; }
SmallVector<Access> FetchOp::getAccesses() {
  return {reading(getSource(), getSlot()), writing(getTarget(), getTargetSlot())};
}
LogicalResult FetchOp::verify() {
  if (failed(expectBuffer(*this, "source", getSource(), {Space::gm})) ||
      failed(expectBuffer(*this, "target", getTarget(), {Space::ub, Space::l1})))
    return failure();
  if (spaceOf(getTarget()) == Space::l1 && unitOf(*this) == Unit::vector_core)
    return emitOpError("stands inside of aicore.vector_cores, but l1 is a memory of the cube core");
  return expectSameElements(*this, getSource(), getTarget());
}

// Without a machine, of a coupled core.
MMK_EFFECTS(DrainOp)
Pipe DrainOp::getPipe() {
  MachineAttr machine = machineOf(*this);
  return (machine ? machine.linkPipe("l0c_ub") : std::nullopt).value_or(Pipe::vector);
}
SmallVector<Access> DrainOp::getAccesses() {
  return {reading(getSource(), getSlot(), getPart()), writing(getTarget(), getTargetSlot())};
}
LogicalResult DrainOp::verify() {
  if (failed(expectBuffer(*this, "source", getSource(), {Space::l0c})) ||
      failed(expectBuffer(*this, "target", getTarget(), {Space::ub})) ||
      failed(expectPart(*this, getSource(), getPart())))
    return failure();
  if (getPipe() == Pipe::fixpipe && failed(expectOnCubeCore(*this, getPipe())))
    return failure();
  return expectSameElements(*this, getSource(), getTarget());
}

} // namespace mmk::aicore
