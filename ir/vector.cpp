// Vector work of a core: its accesses, and the verifier of its region of elements or of
// instructions.
#include "ir/instructions.h"

#include "support/diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace mmk::aicore {

namespace {

Type elementOf(Value buffer) { return cast<MemRefType>(buffer.getType()).getElementType(); }

/// "full" numbers of a buffer, or a mask of bytes in one of i8.
bool holds(Value buffer, TileType tile) {
  return tile.isMask() ? elementOf(buffer).isInteger(8) : elementOf(buffer) == tile.getElement();
}

} // namespace

//===--- aicore.vector --------------------------------------------------------------------===//

MMK_EFFECTS(VectorOp)
Pipe VectorOp::getPipe() { return Pipe::vector; }
SmallVector<Access> VectorOp::getAccesses() {
  SmallVector<Access> accesses;
  for (auto [buffer, slot] : llvm::zip(getInputs(), getInputSlots()))
    accesses.push_back(reading(buffer, slot));
  for (auto [buffer, slot] : llvm::zip(getOutputs(), getOutputSlots()))
    accesses.push_back(writing(buffer, slot));
  return accesses;
}

bool VectorOp::isSelected() {
  Block &block = getBody().front();
  return block.getNumArguments() > 0 &&
         llvm::all_of(block.getArgumentTypes(), llvm::IsaPred<TileType>);
}

VectorTile VectorOp::tile(Value argument) {
  size_t number = cast<BlockArgument>(argument).getArgNumber();
  if (number < getInputs().size())
    return {getInputs()[number], getInputSlots()[number], 0, VectorTile::Role::input,
            cast<BroadcastAttr>(getBroadcasts()[number]).getValue()};
  number -= getInputs().size();
  if (number < getOutputs().size())
    return {getOutputs()[number], getOutputSlots()[number], 0, VectorTile::Role::output};
  number -= getOutputs().size();
  if (number < getScratch().size())
    return {getScratch()[number], Value(), getScratchCopies()[number], VectorTile::Role::scratch};
  return {Value(), Value(), 0, VectorTile::Role::registers};
}

/// Of its region of instructions.
static size_t tilesOf(VectorOp op) {
  return op.getInputs().size() + op.getOutputs().size() + op.getScratch().size() +
         static_cast<size_t>(op.getRegisters());
}

// Tiles have the names of their buffers.
void VectorOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.empty() || !isSelected() || region.getNumArguments() != tilesOf(*this))
    return;
  for (BlockArgument argument : region.getArguments()) {
    Value buffer = tile(argument).buffer;
    if (!buffer)
      setName(argument, "register");
    else if (auto alloc = buffer.getDefiningOp<AllocOp>())
      setName(argument, alloc.getName());
  }
}

LogicalResult VectorOp::verify() {
  if (getInputs().size() != getInputSlots().size() || getInputs().size() != getBroadcasts().size())
    return emitOpError("expected a slot and a broadcast for each of its ")
           << getInputs().size() << " inputs";
  if (getOutputs().size() != getOutputSlots().size() || getOutputs().empty())
    return emitOpError("expected at least one output, and a slot for each");
  if (getScratch().size() != getScratchCopies().size())
    return emitOpError("expected a copy for each of its ")
           << getScratch().size() << " scratch tiles";
  for (ValueRange operands : {ValueRange(getInputs()), ValueRange(getOutputs())})
    for (Value operand : operands)
      if (failed(expectBuffer(*this, "operands", operand, {Space::ub})))
        return failure();
  for (auto [scratch, copy] : llvm::zip(getScratch(), getScratchCopies())) {
    if (failed(expectBuffer(*this, "scratch", scratch, {Space::ub})))
      return failure();
    if (auto alloc = scratch.getDefiningOp<AllocOp>();
        alloc && (copy < 0 || copy >= static_cast<int64_t>(alloc.getCopies())))
      return emitOpError("takes copy ")
             << copy << " of '" << alloc.getName() << "', which has " << alloc.getCopies();
  }
  return success();
}

// Of elements: one for each input; one is yielded for each output.
static LogicalResult verifyElements(VectorOp op, Block &block) {
  if (block.getNumArguments() != op.getInputs().size())
    return op.emitOpError("expected one element for each of its ")
           << op.getInputs().size() << " inputs, found " << block.getNumArguments();
  for (auto [element, input] : llvm::zip(block.getArguments(), op.getInputs()))
    if (element.getType() != elementOf(input))
      return op.emitOpError("expected elements of the type of their buffers, found ")
             << element.getType() << " for " << input.getType();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().size() != op.getOutputs().size())
    return op.emitOpError("expected to yield one element for each of its ")
           << op.getOutputs().size() << " outputs";
  for (auto [value, output] : llvm::zip(yield.getValues(), op.getOutputs()))
    if (value.getType() != elementOf(output))
      return op.emitOpError("expected to yield elements of the type of their buffers, found ")
             << value.getType() << " for " << output.getType();
  return success();
}

// Of instructions: a tile for each buffer; a tile is written before it is read, and each output is
// written.
static LogicalResult verifyInstructions(VectorOp op, Block &block) {
  if (const size_t tiles = tilesOf(op); block.getNumArguments() != tiles)
    return op.emitOpError("expected one tile for each of its ")
           << tiles << " inputs, outputs, scratch tiles and registers, found "
           << block.getNumArguments();
  llvm::DenseSet<Value> written;
  for (BlockArgument argument : block.getArguments()) {
    const VectorTile tile = op.tile(argument);
    if (tile.role == VectorTile::Role::registers)
      continue;
    auto type = cast<TileType>(argument.getType());
    const bool isScratch = tile.role == VectorTile::Role::scratch;
    if (isScratch ? !holds(tile.buffer, type) && type.getElement().getIntOrFloatBitWidth() !=
                                                     elementOf(tile.buffer).getIntOrFloatBitWidth()
                  : elementOf(tile.buffer) != type.getElement())
      return op.emitOpError("expected tiles of the elements of their buffers, found ")
             << type << " for " << tile.buffer.getType();
    if (tile.role == VectorTile::Role::input)
      written.insert(argument);
  }
  for (Operation &inner : block.without_terminator()) {
    auto instruction = dyn_cast<VecOp>(inner);
    if (!instruction)
      return inner.emitOpError("stands among vector instructions, but is none");
    for (Value input : instruction.getInputs())
      if (isa<TileType>(input.getType()) && !written.contains(input))
        return instruction.emitOpError("reads a tile that no instruction before it has written");
    if (op.tile(instruction.getTarget()).role == VectorTile::Role::input)
      return instruction.emitOpError("writes an input");
    written.insert(instruction.getTarget());
  }
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || !yield.getValues().empty())
    return op.emitOpError("expected instructions to yield no elements");
  for (BlockArgument argument : block.getArguments())
    if (op.tile(argument).role == VectorTile::Role::output && !written.contains(argument))
      return op.emitOpError("expected an instruction that writes each of its outputs");
  return success();
}

LogicalResult VectorOp::verifyRegions() {
  Block &block = getBody().front();
  return isSelected() ? verifyInstructions(*this, block) : verifyElements(*this, block);
}

//===--- aicore.reduce --------------------------------------------------------------------===//

MMK_EFFECTS(ReduceOp)
Pipe ReduceOp::getPipe() { return Pipe::vector; }
SmallVector<Access> ReduceOp::getAccesses() {
  SmallVector<Access> accesses = {reading(getSource(), getSlot())};
  for (auto [buffer, slot] : llvm::zip(getTargets(), getTargetSlots()))
    accesses.push_back(writing(buffer, slot));
  return accesses;
}

LogicalResult ReduceOp::verify() {
  if (failed(expectBuffer(*this, "the source", getSource(), {Space::ub})))
    return failure();
  const size_t count = givesPosition() ? 2 : 1;
  if (getTargets().size() != count || getTargetSlots().size() != count)
    return emitOpError("expected ") << count << " targets, each with a slot";
  for (Value target : getTargets()) {
    if (failed(expectBuffer(*this, "targets", target, {Space::ub})))
      return failure();
    if (cast<MemRefType>(target.getType()).getShape()[0] != 1)
      return emitOpError("expected targets of one row, found ") << target.getType();
  }
  if (elementOf(getTargets()[0]) != elementOf(getSource()))
    return emitOpError("expected a target of the elements of its source, found ")
           << getTargets()[0].getType() << " for " << getSource().getType();
  if (count == 2 && !elementOf(getTargets()[1]).isInteger(32))
    return emitOpError("expected positions of i32, found ") << getTargets()[1].getType();
  return success();
}

//===--- aicore.scan ----------------------------------------------------------------------===//

MMK_EFFECTS(ScanOp)
Pipe ScanOp::getPipe() { return Pipe::vector; }
SmallVector<Access> ScanOp::getAccesses() {
  return {reading(getSource(), getSlot()),
          {getCarry(), getCarrySlot(), /*writes=*/true, /*reads=*/true},
          writing(getTarget(), getTargetSlot())};
}

LogicalResult ScanOp::verify() {
  for (Value buffer : {getSource(), getCarry(), getTarget()}) {
    if (failed(expectBuffer(*this, "its tiles", buffer, {Space::ub})))
      return failure();
    if (elementOf(buffer) != elementOf(getSource()))
      return emitOpError("expected elements of ")
             << elementOf(getSource()) << ", found " << buffer.getType();
  }
  if (cast<MemRefType>(getCarry().getType()).getShape()[0] == 1)
    return success();
  return emitOpError("expected a carry of one row, found ") << getCarry().getType();
}

//===--- aicore.vec -----------------------------------------------------------------------===//

const VectorInstruction &VecOp::getRow() { return *findVectorInstruction(getInstruction()); }

std::string_view VecOp::getCost() {
  const VectorInstruction &row = getRow();
  const bool byScalar = !isa<TileType>(getInputs().back().getType());
  return byScalar && !row.scalarCost.empty() ? row.scalarCost : row.cost;
}

/// The meaning of a letter of a signature.
static StringRef describe(char operand) {
  switch (operand) {
  case 'm':
    return "a mask or a condition";
  case 's':
    return "a scalar";
  case 't':
    return "a tile of numbers";
  default:
    return "a tile of numbers or a scalar";
  }
}

static bool fits(char operand, Type type) {
  auto tile = dyn_cast<TileType>(type);
  switch (operand) {
  case 'm':
    return tile ? tile.isMask() : type.isInteger(1);
  case 's':
    return !tile && type.isIntOrFloat();
  case 't':
    return tile && !tile.isMask();
  default:
    return tile ? !tile.isMask() : type.isIntOrFloat();
  }
}

static Type elementOf(Type operand) {
  auto tile = dyn_cast<TileType>(operand);
  return tile ? tile.getElement() : operand;
}

static bool isPredicate(StringRef word, Type compared) {
  if (isa<FloatType>(compared))
    return arith::symbolizeCmpFPredicate(word).has_value();
  return arith::symbolizeCmpIPredicate(word).has_value();
}

// All numbers that it reads and writes have one type, except those of a conversion.
static LogicalResult verifyTypes(VecOp op, const VectorInstruction &row) {
  Type numbers;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    const char letter = row.operands()[i];
    if (!fits(letter, input.getType()))
      return op.emitOpError("expected ")
             << describe(letter) << " as operand " << i + 1 << ", found " << input.getType();
    if (letter == 'm')
      continue;
    if (numbers && numbers != elementOf(input.getType()))
      return op.emitOpError("expected numbers of one type, found ")
             << numbers << " and " << elementOf(input.getType());
    numbers = elementOf(input.getType());
  }
  auto target = cast<TileType>(op.getTarget().getType());
  if (target.isMask() != (row.result() == 'm'))
    return op.emitOpError("expected to write ")
           << (row.result() == 'm' ? "a mask" : "a tile of numbers") << ", found " << target;
  if (row.result() == 'n' && target.getElement() != numbers)
    return op.emitOpError("expected to write ")
           << numbers << " as it reads, found " << target.getElement();
  if (op.getPredicate() && numbers && !isPredicate(*op.getPredicate(), numbers))
    return op.emitOpError("has no predicate ") << *op.getPredicate() << " for " << numbers;
  return success();
}

LogicalResult VecOp::verify() {
  const VectorInstruction *row = findVectorInstruction(getInstruction());
  if (!row) {
    std::vector<std::string> names;
    for (const VectorInstruction &it : vectorInstructions())
      names.emplace_back(it.name);
    const std::string_view nearest = nearestWord(getInstruction().str(), names);
    InFlightDiagnostic error = emitOpError("has no instruction ") << getInstruction();
    if (nearest.empty())
      return error << "; legal: " << listOf(names);
    return error << "; did you mean " << std::string(nearest);
  }
  if (getInputs().size() != row->operands().size())
    return emitOpError() << getInstruction() << " takes " << row->operands().size()
                         << " operands, found " << getInputs().size();
  if (row->hasPredicate != getPredicate().has_value())
    return emitOpError() << getInstruction()
                         << (row->hasPredicate ? " needs a predicate" : " takes no predicate");
  for (Value operand : getOperands()) {
    auto tile = dyn_cast<BlockArgument>(operand);
    if (isa<TileType>(operand.getType()) && (!tile || tile.getOwner() != (*this)->getBlock()))
      return emitOpError("takes a tile that is no argument of its aicore.vector");
  }
  return verifyTypes(*this, *row);
}

} // namespace mmk::aicore
