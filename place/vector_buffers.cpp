// The part of aicore-assign-memories that divides the memory of the vector cores: their buffers for
// a tile, and the number of its rows in one step.
#include "passes/fixpipe_form.h"
#include "passes/variant.h"
#include "place/assign_memories.h"
#include "place/vector_scratch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

using aicore::Broadcast;
using aicore::Space;

/// The buffers of the vector cores for a tile, and the number of its rows in one step.
struct MemoryAssignment::VectorBuffers {
  /// How an operand of the tile's elementwise op reaches the vector unit.
  struct Input {
    OpOperand *operand = nullptr; ///< of the generic; null for a plain product
    Broadcast broadcast = Broadcast::full;
    std::optional<size_t> produced; ///< which of the group's products it is, if any
    Type element;
    std::string name; ///< of its buffer, see alloc
    StringRef group;
    Value buffer; ///< in UB
  };
  SmallVector<Input> inputs;
  SmallVector<Value> outputs; ///< of the generic, in UB
  Value part;                 ///< of a split product: one split, in UB
  SmallVector<Value> spilled; ///< the products in the block's global memory, where they pass it
  int64_t width = 1;          ///< columns of the tile for one vector core
  int64_t rowsPerStep = 1;    ///< of the tile in one vector step
};

namespace {

// Of a mask for so many bytes of f32.
constexpr int64_t maskBytes = stepBytes / 4 / 8;

int64_t bytesOf(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

int64_t paddedColumns(int64_t columns, Type element, aicore::MachineAttr machine) {
  return mmk::paddedColumns(columns, bytesOf(element), machine.alignment(Space::ub));
}

/// Whether each result is the first operand, as the machine's fixpipe changes it. A result may also
/// be a scalar from outside, with an empty body: that needs the vector unit.
bool isFixpipeForm(linalg::GenericOp generic, const FixpipeSlopes &slopes) {
  Block &body = *generic.getBody();
  return llvm::all_of(body.getTerminator()->getOperands(), [&](Value value) {
    return fixpipeFormOf(value, slopes).source == body.getArgument(0);
  });
}

SmallVector<Type> outputElements(linalg::GenericOp generic) {
  SmallVector<Type> elements;
  if (generic)
    for (Value result : generic.getResults())
      elements.push_back(elementOf(result));
  return elements;
}

/// The dimension that rows of a tile run along; "" when it has only one row.
StringRef rowDimOf(TiledGroup &tile) {
  return tile.rowsAt >= 0 ? dimName(tile.tileLoop.getResult(0), tile.rowsAt) : "";
}

/// On a split chip the fixpipe writes products, also with ReLU and narrowed, straight to global
/// memory.
bool needsVectorUnit(TiledGroup &tile, aicore::MachineAttr machine) {
  const bool byFixpipe = leavesByFixpipe(tile, machine);
  linalg::GenericOp generic = tile.generic;
  if (!generic)
    return !byFixpipe;
  return !(byFixpipe && generic.getInputs().size() == 1 &&
           llvm::is_contained(tile.produced(), generic.getInputs()[0]) &&
           generic.getIndexingMapsArray()[0].isIdentity() &&
           isFixpipeForm(generic, fixpipeSlopes(generic, machine)));
}

} // namespace

void MemoryAssignment::placeVectorValues(TiledGroup &tile) {
  if (!needsVectorUnit(tile, machine))
    return;
  VectorBuffers buffers;
  findInputs(tile, buffers);
  chooseSteps(tile, buffers);
  allocate(tile, buffers);

  SmallVector<Value> products = tile.produced(), fromMemory = products;
  if (tile.generic)
    b.setInsertionPoint(tile.generic);
  else
    b.setInsertionPointAfter(products[0].getDefiningOp());
  for (auto [i, spilled] : llvm::enumerate(buffers.spilled))
    fromMemory[i] = place(products[i], spilled);
  for (const auto &input : buffers.inputs) {
    Value held =
        place(input.produced ? fromMemory[*input.produced] : input.operand->get(), input.buffer);
    if (input.operand)
      input.operand->set(held);
    // A product that is also a result is stored from UB, unless the fixpipe stores it.
    if (input.produced && !leavesByFixpipe(tile, machine))
      products[*input.produced].replaceUsesWithIf(
          held, [](OpOperand &use) { return isa<tensor::InsertSliceOp>(use.getOwner()); });
  }
  if (tile.sum) {
    OpOperand &parts = tile.sum.getInputsMutable()[0];
    b.setInsertionPoint(tile.sum);
    parts.assign(place(parts.get(), buffers.part));
  }
  if (!tile.generic)
    return;
  b.setInsertionPointAfter(tile.generic);
  for (auto [result, buffer] : llvm::zip(tile.generic.getResults(), buffers.outputs)) {
    Value held = place(result, buffer);
    result.replaceAllUsesExcept(held, held.getDefiningOp());
  }
}

void MemoryAssignment::findInputs(TiledGroup &tile, VectorBuffers &buffers) {
  const SmallVector<Value> products = tile.produced();
  // A sum of splits is computed at its use; if that is a store, it is an output.
  StringRef groupOfProduct = !tile.sum ? "ub" : tile.generic ? "scratch" : "out";
  auto takeProduct = [&](OpOperand *operand, Broadcast broadcast, size_t number) {
    buffers.inputs.push_back({operand,
                              broadcast,
                              number,
                              elementOf(products[number]),
                              productName(number),
                              groupOfProduct,
                              {}});
  };
  if (!tile.generic)
    return takeProduct(nullptr, Broadcast::full, 0);
  for (OpOperand *operand : tile.generic.getDpsInputOperands()) {
    Value tensor = operand->get();
    const Broadcast broadcast = broadcastOf(tile.generic.getMatchingIndexingMap(operand), tile);
    if (auto known = llvm::find(products, tensor); known != products.end())
      takeProduct(operand, broadcast, known - products.begin());
    else
      buffers.inputs.push_back(
          {operand, broadcast, std::nullopt, elementOf(tensor), nameOf(tensor).str(), "ub", {}});
  }
}

// Bytes of UB that each row of a step takes, and those that all rows share.
MemoryAssignment::VectorBytes MemoryAssignment::bytesOfRows(TiledGroup &tile,
                                                            const VectorBuffers &buffers) {
  const int64_t width = buffers.width;
  VectorBytes bytes;
  if (machine.getRegisters() == 0)
    bytes.perRow = scratchTiles(tile.generic) * paddedColumns(width, b.getF32Type(), machine) * 4;
  for (const auto &input : buffers.inputs) {
    const int64_t count = requestedCopies(kernel, input.group, input.name);
    const int64_t row =
        count * paddedColumns(width, input.element, machine) * bytesOf(input.element);
    if (input.broadcast == Broadcast::full)
      bytes.perRow += row;
    else if (input.broadcast == Broadcast::column)
      bytes.perRow += count * bytesOf(input.element);
    else
      bytes.shared += row;
  }
  if (tile.sum) {
    Type element = elementOf(tile.sum.getResult(0));
    bytes.perRow += requestedCopies(kernel, "ub", "part") * paddedColumns(width, element, machine) *
                    bytesOf(element);
  }
  for (Type element : outputElements(tile.generic))
    bytes.perRow += requestedCopies(kernel, "out", "") * paddedColumns(width, element, machine) *
                    bytesOf(element);
  return bytes;
}

// The tile of an elementwise kernel is one vector step. After a product the tile is the cube's; the
// vector cores process it in as few steps as fit UB and give each transfer its full rate.
void MemoryAssignment::chooseSteps(TiledGroup &tile, VectorBuffers &buffers) {
  const int64_t cores = vectorCoresOf(machine);
  const int64_t parts = accs.empty() ? 1 : accs[0].getParts();
  // With one dimension there are no rows to distribute: the vector cores halve the columns.
  buffers.width = tile.rank == 1 ? llvm::divideCeil(tile.tileN, cores)
                  : parts > 1    ? accs[0].getPartWidth()
                                 : tile.tileN;
  const int64_t rows = tile.rank == 1 ? 1 : llvm::divideCeil(tile.tileM, cores);
  const VectorBytes bytes = bytesOfRows(tile, buffers);
  StringRef rowDim = rowDimOf(tile);
  bool isChosen = tile.rank > 1 && !hasProduct(kernel) && kernel.choice(("tile." + rowDim).str());
  // Room for the rounding of buffers to blocks is that of one mask at least.
  const int64_t masks = std::max<int64_t>(1, maskTiles(tile.generic));
  int64_t room = machine.capacity(Space::ub) - bytes.shared - masks * maskBytes;
  int64_t fits = std::max<int64_t>(1, room / std::max<int64_t>(1, bytes.perRow));
  // A part has steps of half the size, so that its vector work is not longer than its drain; but on
  // a coupled chip, whose one scalar unit issues everything, more steps would delay the next tile's
  // transfers.
  const bool split = machine.getTopology() == aicore::Topology::split;
  const int64_t bytesPerStep = split ? stepBytes / parts : stepBytes;
  int64_t wanted = std::max<int64_t>(
      1, bytesPerStep / (paddedColumns(buffers.width, b.getF32Type(), machine) * 4));
  buffers.rowsPerStep = isChosen ? rows : std::min({rows, fits, wanted});
  // Steps of even length.
  const int64_t steps = llvm::divideCeil(rows, buffers.rowsPerStep);
  buffers.rowsPerStep = llvm::divideCeil(rows, steps);
}

void MemoryAssignment::allocate(TiledGroup &tile, VectorBuffers &buffers) {
  const int64_t width = buffers.width;
  Location where = tile.last()->getLoc();
  if (StringRef rowDim = rowDimOf(tile); !rowDim.empty())
    where = placeOf(("tile." + rowDim).str(), where);
  auto inUb = [&](StringRef name, StringRef group, int64_t rows, int64_t columns, Type element) {
    return alloc(name, group, Space::ub, rows, paddedColumns(columns, element, machine), element,
                 where);
  };
  for (auto &input : buffers.inputs) {
    const int64_t rows = input.broadcast == Broadcast::full ? buffers.rowsPerStep : 1;
    const int64_t columns = input.broadcast == Broadcast::single   ? 1
                            : input.broadcast == Broadcast::column ? buffers.rowsPerStep
                                                                   : width;
    input.buffer = inUb(input.name, input.group, rows, columns, input.element);
  }
  for (auto [i, element] : llvm::enumerate(outputElements(tile.generic)))
    buffers.outputs.push_back(
        inUb(("out" + (i ? Twine(i) : Twine())).str(), "out", buffers.rowsPerStep, width, element));
  if (tile.sum)
    buffers.part = inUb("part", "ub", buffers.rowsPerStep, width, elementOf(tile.sum.getResult(0)));
  if (!leavesByFixpipe(tile, machine) || productsReachUb(kernel, machine))
    return;
  for (auto [i, product] : llvm::enumerate(tile.produced())) {
    aicore::AllocOp spilled =
        alloc(productName(i), "out", Space::gm, tile.tileM, width, elementOf(product), where);
    // The requested copies are of whole tiles. With fewer the cube core would wait for parts of the
    // tile just before, and where that holds the core, the next loads are behind the wait.
    if (accs[0].getParts() > 1)
      spilled.setCopies(accs[0].getParts() * requestedCopies(kernel, "out", ""));
    buffers.spilled.push_back(spilled);
  }
}

//===--- values between instructions ------------------------------------------------------===//

namespace {

/// Values of a kind that are alive at once between the operations of an elementwise region. An
/// instruction may overwrite an operand at its last use.
int64_t mostAlive(Block &body, llvm::function_ref<bool(Type)> isOfKind) {
  int64_t alive = 0, most = 0;
  DenseMap<Value, unsigned> usesLeft;
  for (Operation &op : body.without_terminator()) {
    for (Value operand : op.getOperands())
      if (auto left = usesLeft.find(operand); left != usesLeft.end() && --left->second == 0)
        --alive;
    for (Value result : op.getResults())
      if (isOfKind(result.getType())) {
        usesLeft[result] = std::distance(result.use_begin(), result.use_end());
        most = std::max(most, ++alive);
      }
  }
  return most;
}

} // namespace

// One value may live in an output that is f32 too.
int64_t scratchTiles(linalg::GenericOp generic) {
  if (!generic)
    return 0;
  Block &body = *generic.getBody();
  const bool outputHolds =
      llvm::any_of(body.getTerminator()->getOperandTypes(), [](Type type) { return type.isF32(); });
  const int64_t most = mostAlive(body, [](Type type) { return isa<FloatType>(type); });
  return std::max<int64_t>(0, most - (outputHolds ? 1 : 0));
}

int64_t maskTiles(linalg::GenericOp generic) {
  return generic ? mostAlive(*generic.getBody(), [](Type type) { return type.isInteger(1); }) : 0;
}

} // namespace mmk
