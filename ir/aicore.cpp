#include "ir/aicore.h"

#include "ir/image_limit.h"
#include "ir/limit.h"
#include "ir/merged_dims.h"
#include "schedule/joined_dimension.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;

//===--- assembly ---------------------------------------------------------------------------===//

// Inputs and outputs of aicore.vector, each beside its slot, inputs with their broadcast:
// `ins(%x[%s] full, %bias[%t] row : types)`, `outs(%y[%u] : types)`.
using Operands = SmallVectorImpl<OpAsmParser::UnresolvedOperand>;

static ParseResult parseSlot(OpAsmParser &parser, Operands &slots) {
  return failure(parser.parseLSquare() || parser.parseOperand(slots.emplace_back()) ||
                 parser.parseRSquare());
}

static ParseResult parseVectorInputs(OpAsmParser &parser, Operands &inputs, Operands &slots,
                                     ArrayAttr &broadcasts, SmallVectorImpl<Type> &types) {
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
    std::optional<mmk::aicore::Broadcast> broadcast = mmk::aicore::symbolizeBroadcast(word);
    if (!broadcast)
      return parser.emitError(place, "expected full, row, column or single, found ") << word;
    inputs.push_back(input);
    list.push_back(mmk::aicore::BroadcastAttr::get(parser.getContext(), *broadcast));
    if (failed(parser.parseOptionalComma()))
      break;
    any = parser.parseOperand(input);
  }
  broadcasts = parser.getBuilder().getArrayAttr(list);
  return inputs.empty() ? success() : parser.parseColonTypeList(types);
}

static void printVectorInputs(OpAsmPrinter &printer, Operation *, OperandRange inputs,
                              OperandRange slots, ArrayAttr broadcasts, TypeRange types) {
  llvm::interleaveComma(llvm::zip(inputs, slots, broadcasts), printer, [&](auto each) {
    auto [input, slot, broadcast] = each;
    printer << input << '[' << slot << "] "
            << stringifyBroadcast(cast<mmk::aicore::BroadcastAttr>(broadcast).getValue());
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

// The scratch tiles of aicore.vector, each a copy of a buffer: `scratch(%x[0], %x[1] : types)`.
static ParseResult parseVectorScratch(OpAsmParser &parser, Operands &scratch,
                                      DenseI64ArrayAttr &copies, SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> numbers;
  auto parseTile = [&] {
    return failure(parser.parseOperand(scratch.emplace_back()) || parser.parseLSquare() ||
                   parser.parseInteger(numbers.emplace_back()) || parser.parseRSquare());
  };
  if (parser.parseCommaSeparatedList(parseTile) || parser.parseColonTypeList(types))
    return failure();
  copies = parser.getBuilder().getDenseI64ArrayAttr(numbers);
  return success();
}

static void printVectorScratch(OpAsmPrinter &printer, Operation *, OperandRange scratch,
                               DenseI64ArrayAttr copies, TypeRange types) {
  llvm::interleaveComma(llvm::zip(scratch, copies.asArrayRef()), printer, [&](auto each) {
    printer << std::get<0>(each) << '[' << std::get<1>(each) << ']';
  });
  printer << " : " << types;
}

// `leaky_relu`, `compare olt`
static ParseResult parseVectorInstruction(OpAsmParser &parser, StringAttr &name,
                                          StringAttr &predicate) {
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  name = parser.getBuilder().getStringAttr(word);
  if (succeeded(parser.parseOptionalKeyword(&word)))
    predicate = parser.getBuilder().getStringAttr(word);
  return success();
}

static void printVectorInstruction(OpAsmPrinter &printer, Operation *, StringAttr name,
                                   StringAttr predicate) {
  printer << name.getValue();
  if (predicate)
    printer << ' ' << predicate.getValue();
}

#include "ir/AicoreDialect.cpp.inc"
#include "ir/AicoreEnums.cpp.inc"
#include "ir/AicoreInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/AicoreAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/AicoreTypes.cpp.inc"
#define GET_OP_CLASSES
#include "ir/AicoreOps.cpp.inc"

namespace mmk::aicore {

void AicoreDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/AicoreAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/AicoreTypes.cpp.inc"
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

//===--- machine ----------------------------------------------------------------------------===//

static int64_t memoryFigure(MachineAttr machine, Space space, unsigned which) {
  auto figures = machine.getMemories().getAs<ArrayAttr>(stringifySpace(space));
  return figures && figures.size() > which ? cast<IntegerAttr>(figures[which]).getInt() : 0;
}
static std::optional<MachineKind> kindNamed(StringAttr name) {
  for (MachineKind kind : allMachineKinds)
    if (name.getValue() == StringRef(spelling(kind)))
      return kind;
  return std::nullopt;
}

LogicalResult MachineAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr,
                                  StringAttr kind, Topology, int64_t, int64_t, DictionaryAttr,
                                  int64_t, int64_t, int64_t, DictionaryAttr, int64_t, int64_t,
                                  DictionaryAttr links, int64_t, int64_t) {
  for (NamedAttribute link : links ? links.getValue() : ArrayRef<NamedAttribute>()) {
    auto pipe = dyn_cast<StringAttr>(link.getValue());
    if (!pipe || !symbolizePipe(pipe.getValue()))
      return emitError() << "expected the pipe of the link " << link.getName().getValue()
                         << ", found " << link.getValue();
  }
  if (!kind || kindNamed(kind))
    return success();
  InFlightDiagnostic error = emitError() << "no kind of machine is named '" << kind.getValue()
                                         << "'; expected ";
  llvm::interleaveComma(allMachineKinds, error,
                        [&](MachineKind each) { error << StringRef(spelling(each)); });
  return error;
}
MachineKind MachineAttr::getMachineKind() const {
  return getKind() ? *kindNamed(getKind()) : MachineKind::emulated;
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
std::optional<Pipe> MachineAttr::linkPipe(StringRef link) const {
  auto pipe = getLinks() ? getLinks().getAs<StringAttr>(link) : StringAttr();
  return pipe ? symbolizePipe(pipe.getValue()) : std::nullopt;
}
int64_t MachineAttr::padding() const { return std::lcm(getCubeM(), getCubeN()); }

//===--- structure --------------------------------------------------------------------------===//

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
  const auto isDimension = [&](StringRef name) {
    int64_t literal;
    return !name.getAsInteger(10, literal) ||
           llvm::is_contained(getDims().getAsValueRange<StringAttr>(), name);
  };
  if (DictionaryAttr limits = getLimitsAttr())
    for (NamedAttribute limit : limits)
      if (!llvm::all_of(factorsOf(limit.getName().getValue()), isDimension) ||
          !isa<IntegerAttr>(limit.getValue()))
        return emitOpError("expected limits to be numbers of its dimensions, found ")
               << limit.getName() << " = " << limit.getValue();
  for (Operation &op : block)
    if (!isa<WorkspaceOp, PhaseOp>(op) && !isMemoryEffectFree(&op))
      return op.emitOpError("is an instruction outside of any aicore.phase");
  return verifyMergedDims(*this);
}

std::string beyondLimit(StringRef dimension, int64_t value, int64_t most, HeldWhole held) {
  const char *format = "";
  switch (held) {
  case HeldWhole::panels:
    format = "{0} = {1}, but the panel that this variant keeps in L1 is at most {2} deep; "
             "legal: a deeper panel, or keep = none";
    break;
  case HeldWhole::rows:
    format = "{0} = {1}, but what this variant reduces whole is at most {2} long; "
             "legal: a longer tile.{0}, or reduce.{0} = two_pass";
    break;
  case HeldWhole::rowsOfProduct:
    format = "{0} = {1}, but the tile whose rows this variant reduces is at most {2} wide; "
             "legal: a longer tile.{0}, or fuse = all";
    break;
  case HeldWhole::rowsAndPanels:
    format = "{0} = {1}, but this variant keeps panels and reduces rows of at most {2}; "
             "legal: keep = none and a longer tile.{0}, or fuse = all";
    break;
  case HeldWhole::unit:
    format = "{0} = {1}, but this variant leaves {0} out, with extent.{0} = {2}; "
             "legal: a variant without it";
    break;
  }
  return llvm::formatv(format, dimension, value, most);
}

HeldWhole KernelOp::heldWhole(StringRef dim) {
  if (auto variant = (*this)->getAttrOfType<StringAttr>("variant");
      variant && variant.getValue().contains(("extent." + dim + "=").str()))
    return HeldWhole::unit;
  bool hasPanels = false, hasRows = false;
  (*this)->walk([&](PhaseOp phase) {
    bool multiplies = false, reduces = false;
    phase->walk([&](AllocOp alloc) { hasPanels |= alloc.getGroup() == "panel"; });
    phase->walk([&](MmadOp) { multiplies = true; });
    phase->walk([&](ReduceOp) { reduces = true; });
    hasRows |= multiplies && reduces;
  });
  return hasRows && hasPanels ? HeldWhole::rowsAndPanels
         : hasRows            ? HeldWhole::rowsOfProduct
         : hasPanels          ? HeldWhole::panels
                              : HeldWhole::rows;
}

std::string KernelOp::limitProblem(ArrayRef<int64_t> dims) {
  const auto extentOf = [&](StringRef name) {
    const auto names = getDims().getAsValueRange<StringAttr>();
    return dims[std::distance(names.begin(), llvm::find(names, name))];
  };
  if (DictionaryAttr limits = getLimitsAttr())
    for (NamedAttribute limit : limits) {
      const StringRef name = limit.getName().getValue();
      const int64_t value = extentOfName(name, extentOf),
                    most = cast<IntegerAttr>(limit.getValue()).getInt();
      if (value > most)
        return beyondLimit(name, value, most, heldWhole(name));
    }
  SmallVector<std::string> names;
  for (StringRef name : getDims().getAsValueRange<StringAttr>())
    names.push_back(name.str());
  return problemOf(imageLimits(*this), names, dims);
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

/// The column granularity of a cube instruction; 1 where the module has no machine.
static int64_t cubeWidthOf(Operation *op) {
  MachineAttr machine = machineOf(op);
  return machine ? machine.getCubeN() : 1;
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
    return emitOpError("expected columns for ") << parts << " parts of " << cubeWidthOf(*this)
                                                << " or more, found " << type.getShape()[1];
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
  if (parts == 1)
    return columns;
  return llvm::alignTo(llvm::divideCeil(columns, parts), cubeWidthOf(*this));
}

LogicalResult PlaceOp::verify() {
  auto buffer = cast<MemRefType>(getBuffer().getType());
  Type element = cast<RankedTensorType>(getValue().getType()).getElementType();
  if (element != buffer.getElementType())
    return emitOpError("expected a buffer of ") << element << ", found " << buffer;
  return success();
}

LogicalResult VectorWorkOp::verify() {
  Block &block = getBody().front();
  if (block.getNumArguments() != 5 ||
      !llvm::all_of(block.getArgumentTypes(), llvm::IsaPred<IndexType>))
    return emitOpError("expected five index arguments: row, rows, column and columns of a window, "
                       "and its number");
  if (getStepsAttr().getInt() < 1 || getHeightAttr().getInt() < 1)
    return emitOpError("expected at least one step of at least one row, found ")
           << getStepsAttr().getInt() << " of " << getHeightAttr().getInt();
  return success();
}
void VectorWorkOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  constexpr const char *names[] = {"row", "rows", "column", "columns", "step"};
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    setName(argument, name);
}

} // namespace mmk::aicore
