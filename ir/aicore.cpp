#include "ir/aicore.h"
#include "ir/limit.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

//===--- assembly
//-------------------------------------------------------------------------------===//

// Inputs and outputs of aicore.vector, each beside its slot, inputs with their spread:
// `ins(%x[%s] full, %bias[%t] row : types)`, `outs(%y[%u] : types)`.
using Operands = SmallVectorImpl<OpAsmParser::UnresolvedOperand>;

static ParseResult parseSlot(OpAsmParser &parser, Operands &slots) {
  return failure(parser.parseLSquare() || parser.parseOperand(slots.emplace_back()) ||
                 parser.parseRSquare());
}

static ParseResult parseVectorInputs(OpAsmParser &parser, Operands &inputs, Operands &slots,
                                     ArrayAttr &spreads, SmallVectorImpl<Type> &types) {
  SmallVector<Attribute> list;
  OpAsmParser::UnresolvedOperand input;
  OptionalParseResult any = parser.parseOptionalOperand(input);
  while (any.has_value()) {
    StringRef word;
    if (failed(*any) || parseSlot(parser, slots))
      return failure();
    llvm::SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<mmk::aicore::Spread> spread = mmk::aicore::symbolizeSpread(word);
    if (!spread)
      return parser.emitError(place, "expected full, row, column or single, found ") << word;
    inputs.push_back(input);
    list.push_back(mmk::aicore::SpreadAttr::get(parser.getContext(), *spread));
    if (failed(parser.parseOptionalComma()))
      break;
    any = parser.parseOperand(input);
  }
  spreads = parser.getBuilder().getArrayAttr(list);
  return inputs.empty() ? success() : parser.parseColonTypeList(types);
}

static void printVectorInputs(OpAsmPrinter &printer, Operation *, OperandRange inputs,
                              OperandRange slots, ArrayAttr spreads, TypeRange types) {
  llvm::interleaveComma(llvm::zip(inputs, slots, spreads), printer, [&](auto each) {
    auto [input, slot, spread] = each;
    printer << input << '[' << slot << "] "
            << stringifySpread(cast<mmk::aicore::SpreadAttr>(spread).getValue());
  });
  if (!inputs.empty())
    printer << " : " << types;
}

static ParseResult parseVectorOutputs(OpAsmParser &parser, Operands &outputs, Operands &slots,
                                      SmallVectorImpl<Type> &types) {
  auto parseOutput = [&] {
    return failure(parser.parseOperand(outputs.emplace_back()) || parseSlot(parser, slots));
  };
  return failure(parser.parseCommaSeparatedList(parseOutput) || parser.parseColonTypeList(types));
}

static void printVectorOutputs(OpAsmPrinter &printer, Operation *, OperandRange outputs,
                               OperandRange slots, TypeRange types) {
  llvm::interleaveComma(llvm::zip(outputs, slots), printer, [&](auto each) {
    printer << std::get<0>(each) << '[' << std::get<1>(each) << ']';
  });
  printer << " : " << types;
}

// Tensors in global memory, each with its offsets and the dimensions that a tile runs along:
// `%bias[%n] along [-1, 0], %r[%m, %n] along [0, 1] : types`. The offsets of all stand in one list.
static ParseResult parseGlobalViews(OpAsmParser &parser, Operands &tensors, Operands &offsets,
                                    DenseI64ArrayAttr &along, SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> dims;
  OpAsmParser::UnresolvedOperand tensor;
  OptionalParseResult any = parser.parseOptionalOperand(tensor);
  while (any.has_value()) {
    auto parseDim = [&] { return parser.parseInteger(dims.emplace_back()); };
    if (failed(*any) || parser.parseOperandList(offsets, OpAsmParser::Delimiter::Square) ||
        parser.parseKeyword("along") ||
        parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseDim))
      return failure();
    tensors.push_back(tensor);
    if (failed(parser.parseOptionalComma()))
      break;
    any = parser.parseOperand(tensor);
  }
  along = parser.getBuilder().getDenseI64ArrayAttr(dims);
  return tensors.empty() ? success() : parser.parseColonTypeList(types);
}

static void printGlobalViews(OpAsmPrinter &printer, Operation *, OperandRange tensors,
                             OperandRange offsets, DenseI64ArrayAttr along, TypeRange types) {
  size_t offset = 0, dim = 0;
  llvm::interleaveComma(tensors, printer, [&](Value tensor) {
    const size_t rank = cast<MemRefType>(tensor.getType()).getRank();
    printer << tensor << '[';
    llvm::interleaveComma(offsets.slice(offset, rank), printer);
    printer << "] along [" << along[dim] << ", " << along[dim + 1] << ']';
    offset += rank;
    dim += 2;
  });
  if (!tensors.empty())
    printer << " : " << types;
}

#include "ir/AicoreDialect.cpp.inc"
#include "ir/AicoreEnums.cpp.inc"
#include "ir/AicoreInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/AicoreAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "ir/AicoreOps.cpp.inc"

namespace mmk::aicore {

void AicoreDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/AicoreAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/AicoreOps.cpp.inc"
      >();
}

Space spaceOf(Type memref) {
  auto space = dyn_cast_or_null<SpaceAttr>(cast<MemRefType>(memref).getMemorySpace());
  return space ? space.getValue() : Space::gm;
}
Space spaceOf(Value buffer) { return spaceOf(buffer.getType()); }

MachineAttr machineOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto machine = op->getAttrOfType<MachineAttr>("aicore.machine"))
      return machine;
  return {};
}

Unit unitOf(Operation *op) {
  return op->getParentOfType<VectorCoresOp>() ? Unit::vector_core : Unit::cube_core;
}

int64_t elementBytes(Type memref) { return cast<MemRefType>(memref).getElementTypeBitWidth() / 8; }

//===--- machine
//--------------------------------------------------------------------------------===//

static int64_t memoryFigure(MachineAttr machine, Space space, unsigned which) {
  auto figures = machine.getMemories().getAs<ArrayAttr>(stringifySpace(space));
  return figures && figures.size() > which ? cast<IntegerAttr>(figures[which]).getInt() : 0;
}
int64_t MachineAttr::capacity(Space space) const { return memoryFigure(*this, space, 0); }
int64_t MachineAttr::alignment(Space space) const {
  return std::max<int64_t>(1, memoryFigure(*this, space, 1));
}
int64_t MachineAttr::depthOf(Type element) const {
  std::string name;
  llvm::raw_string_ostream(name) << element;
  auto depth = getDepth().getAs<IntegerAttr>(name);
  return depth ? depth.getInt() : 0;
}

//===--- structure
//------------------------------------------------------------------------------===//

LogicalResult KernelOp::verify() {
  if (getCoresAttr().getInt() < 1)
    return emitOpError("expected at least one core, found ") << getCoresAttr().getInt();
  size_t expected = getDims().size() + getArgs().size() + getResults().size();
  Block &block = getBody().front();
  if (block.getNumArguments() != expected)
    return emitOpError("expected ") << expected << " arguments (dimensions, parameters, results), "
                                    << "found " << block.getNumArguments();
  for (BlockArgument dim : block.getArguments().take_front(getDims().size()))
    if (!dim.getType().isIndex())
      return emitOpError("expected its first arguments, the dimensions, to be of type index");
  auto checkRank = [&](Type type, ir::NamedAttr named) -> LogicalResult {
    auto tensor = dyn_cast<MemRefType>(type);
    if ((tensor ? tensor.getRank() : 0) != static_cast<int64_t>(named.getDims().size()))
      return emitOpError() << named.getName() << " has " << named.getDims().size()
                           << " dimensions, but its type is " << type;
    return success();
  };
  Block::BlockArgListType tensors = block.getArguments().drop_front(getDims().size());
  for (ArrayAttr list : {getArgs(), getResults()})
    for (auto named : list.getAsRange<ir::NamedAttr>()) {
      if (failed(checkRank(tensors.front().getType(), named)))
        return failure();
      tensors = tensors.drop_front();
    }
  if (DictionaryAttr limits = getLimitsAttr())
    for (NamedAttribute limit : limits)
      if (!llvm::is_contained(getDims(), Attribute(limit.getName())) ||
          !isa<IntegerAttr>(limit.getValue()))
        return emitOpError("expected limits to be numbers of its dimensions, found ")
               << limit.getName() << " = " << limit.getValue();
  for (Operation &op : block)
    if (!isa<WorkspaceOp, PhaseOp>(op) && !isMemoryEffectFree(&op))
      return op.emitOpError("is an instruction outside of any aicore.phase");
  return success();
}

std::string beyondLimit(StringRef dimension, int64_t value, int64_t most) {
  return llvm::formatv("{0} = {1}, but the panel that this variant keeps in L1 is at most {2} deep; "
                       "legal: a deeper panel, or keep = none",
                       dimension, value, most);
}

std::string KernelOp::limitProblem(ArrayRef<int64_t> dims) {
  DictionaryAttr limits = getLimitsAttr();
  if (limits)
    for (auto [name, value] : llvm::zip(getDims().getAsRange<StringAttr>(), dims))
      if (auto most = limits.getAs<IntegerAttr>(name); most && value > most.getInt())
        return beyondLimit(name, value, most.getInt());
  return "";
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  Block::BlockArgListType arguments = region.getArguments();
  size_t next = 0;
  auto name = [&](StringRef text) {
    if (next < arguments.size())
      setName(arguments[next++], text);
  };
  for (Attribute dim : getDims())
    name(cast<StringAttr>(dim).getValue());
  for (ArrayAttr list : {getArgs(), getResults()})
    for (auto named : list.getAsRange<ir::NamedAttr>())
      name(named.getName().getValue());
}

LogicalResult WorkspaceOp::verify() {
  auto type = cast<MemRefType>(getResult().getType());
  if (type.getRank() != static_cast<int64_t>(getExtents().size()) ||
      !llvm::all_of(type.getShape(), ShapedType::isDynamic))
    return emitOpError("expected one extent for each dimension of a dynamic shape, found ")
           << getExtents().size() << " for " << type;
  if (spaceOf(type) != Space::gm)
    return emitOpError("expected a tensor in gm");
  return success();
}
void WorkspaceOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getName());
}

LogicalResult PhaseOp::verify() {
  Block &block = getBody().front();
  if (block.getNumArguments() != 1 || !block.getArgument(0).getType().isIndex())
    return emitOpError("expected one index argument, the number of the block");
  if (!isa<KernelOp>((*this)->getParentOp()))
    return emitOpError("expected to stand directly in an aicore.kernel");
  return success();
}
void PhaseOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.getNumArguments() == 1)
    setName(region.getArgument(0), "block");
}

LogicalResult VectorCoresOp::verify() {
  Block &block = getBody().front();
  if (block.getNumArguments() != 1 || !block.getArgument(0).getType().isIndex())
    return emitOpError("expected one index argument, the number of the vector core");
  if (getCountAttr().getInt() < 1)
    return emitOpError("expected at least one vector core, found ") << getCountAttr().getInt();
  if ((*this)->getParentOfType<VectorCoresOp>())
    return emitOpError("stands inside of another aicore.vector_cores");
  return success();
}
void VectorCoresOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.getNumArguments() == 1)
    setName(region.getArgument(0), "v");
}

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getResult().getType());
  if (type.getRank() != 2)
    return emitOpError("expected two dimensions, rows and columns, found ") << type;
  Type element = type.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return emitOpError("expected elements of whole bytes, found ") << element;
  if (getCopiesAttr().getInt() < 1)
    return emitOpError("expected at least one copy, found ") << getCopiesAttr().getInt();
  const int64_t parts = getPartsAttr().getInt();
  if (parts < 1)
    return emitOpError("expected at least one part, found ") << parts;
  if (parts > 1 && getSpace() != Space::l0c)
    return emitOpError("expected parts in l0c alone, found ") << stringifySpace(getSpace());
  if (parts > 1 && (parts - 1) * getPartWidth() >= type.getShape()[1])
    return emitOpError("expected columns for ")
           << parts << " parts of 16 or more, found " << type.getShape()[1];
  return success();
}
void AllocOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), (getName() + "_" + stringifySpace(getSpace())).str());
}
Space AllocOp::getSpace() { return spaceOf(getResult()); }
int64_t AllocOp::getBytes() {
  auto type = cast<MemRefType>(getResult().getType());
  return type.getNumElements() * elementBytes(type);
}
int64_t AllocOp::getPartWidth() {
  const int64_t columns = cast<MemRefType>(getResult().getType()).getShape()[1];
  const int64_t parts = getParts();
  return parts == 1 ? columns : llvm::alignTo(llvm::divideCeil(columns, parts), 16);
}

//===--- instructions
//---------------------------------------------------------------------------===//

// Buffers and pipes are one resource each for upstream passes: none may drop, merge or reorder what
// orders hazards, and the buffers are told apart by our own analyses.
static void
effectsOf(Instruction op,
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

static void
syncEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

static Access reading(Value buffer, Value slot = {}, std::optional<int64_t> part = {}) {
  return {buffer, slot, false, true, part};
}
static Access writing(Value buffer, Value slot = {}) { return {buffer, slot, true, false}; }

static LogicalResult expectSpace(Operation *op, StringRef role, Value buffer,
                                 ArrayRef<Space> legal) {
  if (llvm::is_contained(legal, spaceOf(buffer)))
    return success();
  InFlightDiagnostic error = op->emitOpError("expected ") << role << " in ";
  llvm::interleave(
      legal, [&](Space space) { error << stringifySpace(space); }, [&] { error << " or "; });
  return error << ", found " << stringifySpace(spaceOf(buffer));
}

// On-chip buffers, and the block's own pieces of global memory, have rows and columns.
static LogicalResult expectBuffer(Operation *op, StringRef role, Value buffer,
                                  ArrayRef<Space> legal) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() != 2)
    return op->emitOpError("expected two dimensions of ") << role << ", found " << type;
  return expectSpace(op, role, buffer, legal);
}

// A vector core has no cube and none of its memories.
static LogicalResult expectOnCubeCore(Operation *op, Pipe pipe) {
  if (unitOf(op) == Unit::cube_core)
    return success();
  return op->emitOpError("stands inside of aicore.vector_cores, but ")
         << stringifyPipe(pipe) << " is a pipe of the cube core";
}

static LogicalResult expectAlong(Operation *op, Value tensor, OperandRange offsets,
                                 ArrayRef<int64_t> along) {
  int64_t rank = cast<MemRefType>(tensor.getType()).getRank();
  if (static_cast<int64_t>(offsets.size()) != rank)
    return op->emitOpError("expected ") << rank << " offsets, found " << offsets.size();
  if (along.size() != 2)
    return op->emitOpError("expected along to name the dimension of the rows and of the columns");
  for (int64_t dim : along)
    if (dim < -1 || dim >= rank)
      return op->emitOpError("along names dimension ") << dim << " of a tensor of rank " << rank;
  if (along[0] == along[1] && along[0] != -1)
    return op->emitOpError("rows and columns both run along dimension ") << along[0];
  return success();
}

static LogicalResult expectSameElements(Operation *op, Value from, Value to) {
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

static LogicalResult expectPart(Operation *op, Value buffer, std::optional<int64_t> part) {
  auto alloc = buffer.getDefiningOp<AllocOp>();
  if (!part || !alloc || (*part >= 0 && *part < static_cast<int64_t>(alloc.getParts())))
    return success();
  return op->emitOpError("takes part ")
         << *part << " of " << alloc.getName() << ", which has " << alloc.getPartsAttr().getInt();
}

#define MMK_EFFECTS(OP)                                                                            \
  void OP::getEffects(                                                                             \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {              \
    effectsOf(*this, effects);                                                                     \
  }

MMK_EFFECTS(LoadOp)
Pipe LoadOp::getPipe() { return Pipe::mte2; }
SmallVector<Access> LoadOp::getAccesses() {
  return {reading(getSource()), writing(getTarget(), getSlot())};
}
LogicalResult LoadOp::verify() {
  if (failed(expectSpace(*this, "source", getSource(), {Space::gm})) ||
      failed(expectBuffer(*this, "target", getTarget(), {Space::l1, Space::ub})) ||
      failed(expectAlong(*this, getSource(), getOffsets(), getAlong())) ||
      failed(expectSameElements(*this, getSource(), getTarget())))
    return failure();
  if (spaceOf(getTarget()) == Space::l1 && unitOf(*this) == Unit::vector_core)
    return emitOpError("stands inside of aicore.vector_cores, but l1 is a memory of the cube core");
  if (getPadAttr().getInt() < 1)
    return emitOpError("expected a positive pad, found ") << getPadAttr().getInt();
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
      failed(expectAlong(*this, getTarget(), getOffsets(), getAlong())))
    return failure();
  return expectSameElements(*this, getSource(), getTarget());
}

MMK_EFFECTS(StageOp)
Pipe StageOp::getPipe() { return Pipe::mte1; }
SmallVector<Access> StageOp::getAccesses() {
  return {reading(getSource(), getSlot()), writing(getTarget(), getTargetSlot())};
}
LogicalResult StageOp::verify() {
  if (failed(expectOnCubeCore(*this, getPipe())) ||
      failed(expectBuffer(*this, "source", getSource(), {Space::l1})) ||
      failed(expectBuffer(*this, "target", getTarget(), {Space::l0a, Space::l0b, Space::bt})))
    return failure();
  if (spaceOf(getTarget()) == Space::bt && getTransposed())
    return emitOpError("transposes a row into the bias table, which takes it as it is");
  return expectSameElements(*this, getSource(), getTarget());
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
LogicalResult FixpipeOp::verify() {
  if (failed(expectOnCubeCore(*this, getPipe())) ||
      failed(expectBuffer(*this, "source", getSource(), {Space::l0c})) ||
      failed(expectSpace(*this, "target", getTarget(), {Space::gm})) ||
      failed(expectPart(*this, getSource(), getPart())))
    return failure();
  return expectAlong(*this, getTarget(), getOffsets(), getAlong());
}

MMK_EFFECTS(SpillOp)
Pipe SpillOp::getPipe() { return Pipe::fixpipe; }
SmallVector<Access> SpillOp::getAccesses() {
  return {reading(getSource(), getSlot(), getPart()), writing(getTarget(), getTargetSlot())};
}
LogicalResult SpillOp::verify() {
  if (failed(expectOnCubeCore(*this, getPipe())) ||
      failed(expectBuffer(*this, "source", getSource(), {Space::l0c})) ||
      failed(expectBuffer(*this, "target", getTarget(), {Space::gm})) ||
      failed(expectPart(*this, getSource(), getPart())))
    return failure();
  auto from = cast<MemRefType>(getSource().getType()), to = cast<MemRefType>(getTarget().getType());
  int64_t width = from.getShape()[1];
  if (auto acc = getSource().getDefiningOp<AllocOp>(); acc && getPart())
    width = acc.getPartWidth();
  if (to.getShape()[0] != from.getShape()[0] || to.getShape()[1] != width)
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
      failed(expectBuffer(*this, "target", getTarget(), {Space::ub})))
    return failure();
  return expectSameElements(*this, getSource(), getTarget());
}

MMK_EFFECTS(DrainOp)
Pipe DrainOp::getPipe() { return Pipe::vector; }
SmallVector<Access> DrainOp::getAccesses() {
  return {reading(getSource(), getSlot(), getPart()), writing(getTarget(), getTargetSlot())};
}
LogicalResult DrainOp::verify() {
  if (failed(expectBuffer(*this, "source", getSource(), {Space::l0c})) ||
      failed(expectBuffer(*this, "target", getTarget(), {Space::ub})) ||
      failed(expectPart(*this, getSource(), getPart())))
    return failure();
  return expectSameElements(*this, getSource(), getTarget());
}

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
LogicalResult VectorOp::verify() {
  if (getInputs().size() != getInputSlots().size() || getInputs().size() != getSpreads().size())
    return emitOpError("expected a slot and a spread for each of its ")
           << getInputs().size() << " inputs";
  if (getOutputs().size() != getOutputSlots().size() || getOutputs().empty())
    return emitOpError("expected at least one output, and a slot for each");
  for (ValueRange operands : {ValueRange(getInputs()), ValueRange(getOutputs())})
    for (Value operand : operands)
      if (failed(expectBuffer(*this, "operands", operand, {Space::ub})))
        return failure();
  if (getScratch() && failed(expectBuffer(*this, "scratch", getScratch(), {Space::ub})))
    return failure();
  Block &block = getBody().front();
  if (block.getNumArguments() != getInputs().size())
    return emitOpError("expected one element for each of its ")
           << getInputs().size() << " inputs, found " << block.getNumArguments();
  for (auto [element, input] : llvm::zip(block.getArguments(), getInputs()))
    if (element.getType() != cast<MemRefType>(input.getType()).getElementType())
      return emitOpError("expected elements of the type of their buffers, found ")
             << element.getType() << " for " << input.getType();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().size() != getOutputs().size())
    return emitOpError("expected to yield one element for each of its ")
           << getOutputs().size() << " outputs";
  for (auto [value, output] : llvm::zip(yield.getValues(), getOutputs()))
    if (value.getType() != cast<MemRefType>(output.getType()).getElementType())
      return emitOpError("expected to yield elements of the type of their buffers, found ")
             << value.getType() << " for " << output.getType();
  return success();
}

static LogicalResult expectViews(Operation *op, OperandRange tensors, OperandRange offsets,
                                 ArrayRef<int64_t> along) {
  if (along.size() != 2 * tensors.size())
    return op->emitOpError("expected two dimensions along for each of its ")
           << tensors.size() << " tensors, found " << along.size();
  for (Value tensor : tensors) {
    const size_t rank = cast<MemRefType>(tensor.getType()).getRank();
    if (offsets.size() < rank)
      return op->emitOpError("expected ") << rank << " offsets, found " << offsets.size();
    if (failed(expectSpace(op, "tensors", tensor, {Space::gm})) ||
        failed(expectAlong(op, tensor, offsets.take_front(rank), along.take_front(2))))
      return failure();
    offsets = offsets.drop_front(rank);
    along = along.drop_front(2);
  }
  if (!offsets.empty())
    return op->emitOpError("found ") << offsets.size() << " offsets too many";
  return success();
}

/// Tensors and region of an operation of the host; `more` arguments come from no tensor.
template <typename Op> static LogicalResult verifyHostOp(Op op, size_t more) {
  if (failed(expectViews(op, op.getInputs(), op.getInputOffsets(), op.getInputAlong())) ||
      failed(expectViews(op, op.getOutputs(), op.getOutputOffsets(), op.getOutputAlong())))
    return failure();
  Block &block = op.getBody().front();
  const size_t inputs = op.getInputs().size();
  if (block.getNumArguments() != inputs + more)
    return op.emitOpError("expected ")
           << inputs + more << " elements in its region, found " << block.getNumArguments();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().size() != op.getOutputs().size())
    return op.emitOpError("expected to yield one element for each of its ")
           << op.getOutputs().size() << " outputs";
  for (auto [value, output] : llvm::zip(yield.getValues(), op.getOutputs()))
    if (value.getType() != cast<MemRefType>(output.getType()).getElementType())
      return op.emitOpError("expected to yield elements of the type of their tensors, found ")
             << value.getType() << " for " << output.getType();
  return success();
}

// The host has one pipe, as it were; what is scratch is touched by one instruction alone.
static SmallVector<Access> accessesOf(ValueRange read, ValueRange written) {
  SmallVector<Access> accesses;
  for (Value tensor : read)
    accesses.push_back(reading(tensor));
  for (Value tensor : written)
    accesses.push_back(writing(tensor));
  return accesses;
}

MMK_EFFECTS(ProductOp)
Pipe ProductOp::getPipe() { return Pipe::vector; }
SmallVector<Access> ProductOp::getAccesses() {
  SmallVector<Value> read = {getA(), getB()};
  read.append(getInputs().begin(), getInputs().end());
  return accessesOf(read, getOutputs());
}
LogicalResult ProductOp::verify() {
  if (failed(expectSpace(*this, "A", getA(), {Space::gm})) ||
      failed(expectSpace(*this, "B", getB(), {Space::gm})) ||
      failed(expectAlong(*this, getA(), getAOffsets(), getAAlong())) ||
      failed(expectAlong(*this, getB(), getBOffsets(), getBAlong())) ||
      failed(expectSameElements(*this, getA(), getB())) ||
      failed(expectBuffer(*this, "the scratch of A", getAScratch(), {Space::l0a})) ||
      failed(expectBuffer(*this, "the scratch of B", getBScratch(), {Space::l0b})) ||
      failed(expectBuffer(*this, "the accumulator", getAcc(), {Space::l0c})))
    return failure();
  if (getStepAttr().getInt() < 1)
    return emitOpError("expected a positive step, found ") << getStepAttr().getInt();
  return verifyHostOp(*this, /*more=*/1);
}

MMK_EFFECTS(ElementwiseOp)
Pipe ElementwiseOp::getPipe() { return Pipe::vector; }
SmallVector<Access> ElementwiseOp::getAccesses() { return accessesOf(getInputs(), getOutputs()); }
LogicalResult ElementwiseOp::verify() { return verifyHostOp(*this, /*more=*/0); }

//===--- synchronisation
//------------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyFilling(Op op) {
  if (failed(expectOnCubeCore(op, Pipe::cube)) ||
      failed(expectBuffer(op, "the accumulator", op.getBuffer(), {Space::l0c})))
    return failure();
  return expectPart(op, op.getBuffer(), op.getPartAttr().getInt());
}
LogicalResult OpenOp::verify() { return verifyFilling(*this); }
LogicalResult CloseOp::verify() { return verifyFilling(*this); }

LogicalResult ReleaseOp::verify() {
  return expectBuffer(*this, "the buffer", getBuffer(), {Space::l1, Space::bt});
}

template <typename Op> static LogicalResult verifyFlag(Op op) {
  if (op.getFrom() == op.getTo())
    return op.emitOpError("orders the pipe ")
           << stringifyPipe(op.getFrom()) << " after itself; a pipe is in order already";
  if (op.getEventAttr().getInt() < 0)
    return op.emitOpError("expected an event id of at least 0, found ")
           << op.getEventAttr().getInt();
  return success();
}
LogicalResult SetFlagOp::verify() { return verifyFlag(*this); }
LogicalResult WaitFlagOp::verify() { return verifyFlag(*this); }

template <typename Op> static LogicalResult verifyCross(Op op) {
  if (op.getFlagAttr().getInt() < 0)
    return op.emitOpError("expected a flag of at least 0, found ") << op.getFlagAttr().getInt();
  if (op.getUnit() == unitOf(op))
    return op.emitOpError("expected the other core of the block, found ")
           << stringifyUnit(op.getUnit()) << ", on which it stands";
  return success();
}
LogicalResult SetCrossOp::verify() { return verifyCross(*this); }
LogicalResult WaitCrossOp::verify() { return verifyCross(*this); }

#define MMK_SYNC_EFFECTS(OP)                                                                       \
  void OP::getEffects(                                                                             \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {              \
    syncEffects(effects);                                                                          \
  }
MMK_SYNC_EFFECTS(SetFlagOp)
MMK_SYNC_EFFECTS(WaitFlagOp)
MMK_SYNC_EFFECTS(SetCrossOp)
MMK_SYNC_EFFECTS(WaitCrossOp)
MMK_SYNC_EFFECTS(BarrierOp)
MMK_SYNC_EFFECTS(OpenOp)
MMK_SYNC_EFFECTS(CloseOp)
MMK_SYNC_EFFECTS(ReleaseOp)

} // namespace mmk::aicore
