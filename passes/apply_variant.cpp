#include "passes/bias_table.h"
#include "passes/fit_tile.h"
#include "passes/passes.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_APPLYVARIANT
#include "passes/Passes.h.inc"

SmallVector<StringRef> dimNames(Operation *op) {
  SmallVector<StringRef> names;
  if (auto dims = op->getAttrOfType<ArrayAttr>("mmk.dims"))
    for (StringAttr name : dims.getAsRange<StringAttr>())
      names.push_back(name.getValue());
  return names;
}

LogicalResult checkDims(ir::KernelOp kernel) {
  WalkResult result = kernel.walk([](linalg::LinalgOp op) {
    bool product = isa<linalg::ContractOp>(op);
    if (!product && !isa<linalg::GenericOp>(op))
      return WalkResult::advance();
    size_t loops = op.getNumLoops();
    if (dimNames(op).size() == loops && loops >= (product ? 3 : 1))
      return WalkResult::advance();
    op->emitOpError("expected mmk.dims to name each of its ") << loops << " dimensions";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checkNests(ir::KernelOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (isa<linalg::LinalgOp>(op))
      return op.emitOpError("is in no nest; run mmk-fuse-epilogue first");
  return success();
}

Value dimValue(OpBuilder &b, Location loc, StringRef name) {
  return ir::DimOp::create(b, loc, b.getIndexType(), name);
}

Type operandType(linalg::ContractOp contract) {
  return cast<RankedTensorType>(contract.getInputs()[0].getType()).getElementType();
}

SmallVector<StringRef> outputDims(ir::KernelOp kernel) {
  SmallVector<StringRef> outputs;
  kernel.walk([&](linalg::ContractOp contract) {
    SmallVector<StringRef> names = dimNames(contract);
    outputs.append({names[names.size() - 3], names[names.size() - 2]});
  });
  if (!hasProduct(kernel))
    for (auto named : kernel.getResults().getAsRange<ir::NamedAttr>())
      for (StringAttr dim : named.getDims().take_back(2))
        outputs.push_back(dim.getValue());
  return outputs;
}

aicore::MachineAttr expectMachine(Operation *module) {
  aicore::MachineAttr machine = aicore::machineOf(module);
  if (!machine)
    module->emitError("expected a machine; run mmk-apply-variant first");
  return machine;
}

std::optional<KeptPanel> keptPanel(ir::KernelOp kernel) {
  StringRef word = kernel.chosenWord("keep", "none");
  const bool isA = word.consume_front("A("), isB = !isA && word.consume_front("B(");
  int64_t depth = 0;
  if (!(isA || isB) || !word.consume_back(")") || word.getAsInteger(10, depth) || depth < 1)
    return std::nullopt;
  return KeptPanel{isB ? 1u : 0u, depth};
}

bool hasProduct(ir::KernelOp kernel) {
  return kernel.walk([](linalg::ContractOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

//===--- names
//----------------------------------------------------------------------------------===//

namespace {

bool isName(StringRef dim) { return !dim.empty() && !llvm::isDigit(dim[0]); }

/// A dimension may be both, in different products; a variant's name has it once, as an output.
struct TileDims {
  SmallVector<StringRef> outputs, reductions;
  SmallVector<StringRef> onlyReductions() const {
    SmallVector<StringRef> rest;
    for (StringRef dim : reductions)
      if (!llvm::is_contained(outputs, dim))
        rest.push_back(dim);
    return rest;
  }
};

TileDims dimsOf(ir::KernelOp kernel) {
  TileDims dims;
  auto add = [](SmallVector<StringRef> &list, StringRef dim) {
    if (isName(dim) && !llvm::is_contained(list, dim))
      list.push_back(dim);
  };
  for (StringRef dim : outputDims(kernel))
    add(dims.outputs, dim);
  kernel.walk(
      [&](linalg::ContractOp contract) { add(dims.reductions, dimNames(contract).back()); });
  return dims;
}

constexpr std::array<StringRef, 7> bufferGroups = {"l1", "panel", "l0", "bt", "acc", "out", "ub"};

std::string word(Attribute alternative) {
  if (auto number = dyn_cast<IntegerAttr>(alternative))
    return std::to_string(number.getInt());
  return cast<StringAttr>(alternative).getValue().str();
}

/// What the variant's name says of a choice. That of a tile which fits the shape is the largest.
std::string chosenWord(ir::ChoiceOp choice) {
  return choice->hasAttr("fit") ? "auto" : word(choice.getAlternatives()[0]);
}

} // namespace

std::vector<std::string> tileDims(ir::KernelOp kernel) {
  TileDims dims = dimsOf(kernel);
  std::vector<std::string> names;
  for (StringRef dim : dims.outputs)
    names.push_back(dim.str());
  for (StringRef dim : dims.onlyReductions())
    names.push_back(dim.str());
  return names;
}

std::string variantName(ir::KernelOp kernel) {
  TileDims dims = dimsOf(kernel);
  SmallVector<std::string> parts;
  auto joined = [&](StringRef directive, ArrayRef<StringRef> names) {
    SmallVector<std::string> values;
    for (StringRef name : names)
      if (ir::ChoiceOp choice = kernel.choice((directive + "." + name).str()))
        values.push_back(chosenWord(choice));
    if (!values.empty())
      parts.push_back((directive + "=" + llvm::join(values, "x")).str());
  };
  auto single = [&](StringRef key, StringRef shown) {
    if (ir::ChoiceOp choice = kernel.choice(key))
      parts.push_back((shown + "=" + word(choice.getAlternatives()[0])).str());
  };
  single("cores", "cores");
  SmallVector<StringRef> all(dims.outputs);
  all.append(dims.onlyReductions());
  for (StringRef dim : all)
    single(("grid." + dim).str(), ("grid." + dim).str());
  joined("tile", all);
  if (dims.onlyReductions().size() == dims.reductions.size())
    joined("stage", dims.reductions);
  else // "stage=" stands for the last dimensions of the tile, and these are not
    for (StringRef dim : dims.reductions)
      single(("stage." + dim).str(), ("stage." + dim).str());
  for (StringRef group : bufferGroups) {
    single(("buffers." + group).str(), group);
    for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>())
      if (choice.getKey().starts_with(("buffers." + group + ".").str()))
        single(choice.getKey(), choice.getKey().drop_front(strlen("buffers.")));
  }
  single("keep", "keep");
  single("bias", "bias");
  single("store", "store");
  single("order", "order");
  single("epilogue", "epilogue");
  return llvm::join(parts, ",");
}

bool parseVariant(StringRef text, ArrayRef<std::string> tileDims, Choices &choices,
                  std::string &message) {
  SmallVector<StringRef> items;
  text.split(items, ',', -1, /*KeepEmpty=*/false);
  for (StringRef item : items) {
    auto [key, value] = item.trim().split('=');
    key = key.trim();
    value = value.trim();
    if (key.empty() || value.empty()) {
      message = ("expected DIRECTIVE=VALUE, found '" + item.trim() + "'").str();
      return false;
    }
    if (key == "tile") {
      SmallVector<StringRef> values;
      value.split(values, 'x');
      if (values.size() != tileDims.size()) {
        message = ("tile=" + value + " gives " + Twine(values.size()) +
                   " values; the tiles of this kernel are " + Twine(tileDims.size()) + ": " +
                   llvm::join(tileDims, " x "))
                      .str();
        return false;
      }
      for (auto [dim, number] : llvm::zip(tileDims, values))
        choices.emplace_back("tile." + dim, number.str());
    } else if (key == "stage") {
      // The reductions stand last.
      SmallVector<StringRef> values;
      value.split(values, 'x');
      if (values.size() > tileDims.size()) {
        message = ("stage=" + value + " gives " + Twine(values.size()) + " values").str();
        return false;
      }
      for (auto [dim, number] : llvm::zip(tileDims.take_back(values.size()), values))
        choices.emplace_back("stage." + dim, number.str());
    } else if (llvm::is_contained(bufferGroups, key.split('.').first)) {
      choices.emplace_back(("buffers." + key).str(), value.str());
    } else {
      choices.emplace_back(key.str(), value.str());
    }
  }
  return true;
}

//===--- choosing
//-------------------------------------------------------------------------------===//

namespace {

class Chooser {
public:
  Chooser(ir::KernelOp kernel, aicore::MachineAttr machine)
      : kernel(kernel), machine(machine), b(kernel.getContext()) {}

  LogicalResult run(const Choices &overrides) {
    if (kernel.getSchedule().empty())
      b.createBlock(&kernel.getSchedule());
    for (auto &[key, value] : overrides)
      set(key, value, kernel.getLoc());
    for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>())
      choice.setAlternativesAttr(b.getArrayAttr({choice.getAlternatives()[0]}));
    if (failed(checkChoices()) || failed(chooseCores()) || failed(chooseTiles()))
      return failure();
    chooseBuffers();
    addDefault("order", b.getStringAttr("rows"));
    if (hasProduct(kernel))
      addDefault("epilogue", b.getStringAttr("fused"));
    if (failed(refuseUnsupported()) || failed(checkRules()))
      return failure();
    kernel->setAttr("variant", b.getStringAttr(variantName(kernel)));
    return success();
  }

private:
  Attribute attributeOf(StringRef value) {
    int64_t number;
    if (!value.getAsInteger(10, number))
      return b.getI64IntegerAttr(number);
    return b.getStringAttr(value);
  }

  void set(StringRef key, StringRef value, Location loc) {
    if (ir::ChoiceOp choice = kernel.choice(key)) {
      choice.setAlternativesAttr(b.getArrayAttr({attributeOf(value)}));
      return;
    }
    b.setInsertionPointToEnd(&kernel.getSchedule().front());
    ir::ChoiceOp::create(b, loc, key, b.getArrayAttr({attributeOf(value)}));
  }

  void addDefault(StringRef key, Attribute value) {
    if (kernel.choice(key))
      return;
    b.setInsertionPointToEnd(&kernel.getSchedule().front());
    ir::ChoiceOp::create(b, kernel.getLoc(), key, b.getArrayAttr({value}));
  }

  int64_t number(StringRef key, int64_t otherwise = 0) {
    return kernel.chosenNumber(key, otherwise);
  }

  /// Whether the dimension's tile may be `auto`: one of the output of a product, not its depth.
  bool mayFit(StringRef dim) {
    TileDims dims = dimsOf(kernel);
    return hasProduct(kernel) && llvm::is_contained(dims.outputs, dim) &&
           !llvm::is_contained(dims.reductions, dim);
  }

  LogicalResult checkChoices();
  LogicalResult chooseCores();
  LogicalResult chooseTiles();
  void chooseTile(StringRef dim, int64_t size);
  LogicalResult addProductTiles(linalg::ContractOp contract,
                                llvm::MapVector<StringRef, int64_t> &defaults);
  void addElementwiseTiles(llvm::MapVector<StringRef, int64_t> &defaults);
  LogicalResult chooseStage(linalg::ContractOp contract);
  void chooseBuffers();
  LogicalResult checkOverlap(ir::ChoiceOp choice);
  LogicalResult checkKeep(ir::ChoiceOp choice);
  LogicalResult checkBias(ir::ChoiceOp choice);
  LogicalResult refuseUnsupported();
  LogicalResult checkRules();

  ir::KernelOp kernel;
  aicore::MachineAttr machine;
  OpBuilder b;
};

// The frontend has checked its own alternatives; an override or textual IR may say anything.
LogicalResult Chooser::checkChoices() {
  for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>()) {
    StringRef key = choice.getKey();
    auto number = dyn_cast<IntegerAttr>(choice.getAlternatives()[0]);
    auto refuse = [&](const Twine &legal) {
      return choice.emitError() << key << " = " << word(choice.getAlternatives()[0])
                                << " is not legal; expected " << legal;
    };
    StringRef text = number ? StringRef() : kernel.chosenWord(key, "");
    StringRef directive = key.split('.').first;
    if (directive == "tile" && text == "auto" && mayFit(key.split('.').second)) {
      continue;
    } else if (llvm::is_contained({"tile", "stage", "grid", "buffers"}, directive)) {
      if (!number || number.getInt() < 1)
        return refuse("a positive number");
    } else if (key == "cores") {
      if (number ? number.getInt() < 1 : text != "auto")
        return refuse("auto or a positive number");
    } else if (key == "order") {
      int64_t width = 0;
      bool swizzle = text.consume_front("swizzle(") && text.consume_back(")") &&
                     !text.getAsInteger(10, width) && width > 0;
      if (!swizzle && text != "rows" && text != "columns" && text != "zigzag")
        return refuse("rows, columns, zigzag or swizzle(n)");
    } else if (key == "epilogue") {
      if (text != "fused" && text != "separate")
        return refuse("fused or separate");
    } else if (key == "store") {
      if (text != "after" && text != "overlapped")
        return refuse("after or overlapped");
    } else if (key == "keep") {
      if (text != "none" && !keptPanel(kernel))
        return refuse("none, A(n) or B(n)");
    } else if (key == "bias") {
      if (text != "vector" && text != "table")
        return refuse("vector or table");
    } else {
      return choice.emitError() << key << " is no directive; legal: cores, grid, tile, stage, "
                                << "buffers, keep, bias, store, order, epilogue";
    }
  }
  return success();
}

LogicalResult Chooser::chooseCores() {
  addDefault("cores", b.getStringAttr("auto"));
  ir::ChoiceOp choice = kernel.choice("cores");
  if (isa<StringAttr>(choice.getAlternatives()[0]))
    set("cores", std::to_string(machine.getCores()), choice.getLoc());
  int64_t cores = number("cores");
  if (cores > machine.getCores())
    return choice.emitError() << "cores = " << cores << ", but " << machine.getName().getValue()
                              << " has " << machine.getCores();
  return success();
}

// Defaults: a base tile of at most 128 x 256 with rows of 128 bytes along k fills L0C of the 910b
// and leaves room for two copies in L0A and L0B; a stage is as many base tiles, up to four (512
// bytes a row, one full packet of global memory), as fit L1.
LogicalResult Chooser::chooseTiles() {
  // A dimension with several roles (a product of products, or a square) takes the least of them.
  llvm::MapVector<StringRef, int64_t> defaults;
  SmallVector<linalg::ContractOp> contracts;
  kernel.walk([&](linalg::ContractOp contract) { contracts.push_back(contract); });
  for (linalg::ContractOp contract : contracts)
    if (failed(addProductTiles(contract, defaults)))
      return failure();
  if (contracts.empty())
    addElementwiseTiles(defaults);
  else // rows and columns go in whole fractals, also where they are the depth of another product
    for (StringRef dim : outputDims(kernel))
      if (auto found = defaults.find(dim); found != defaults.end())
        found->second = std::max<int64_t>(found->second, 16);
  for (auto [dim, size] : defaults)
    chooseTile(dim, size);
  if (!contracts.empty())
    addDefault("buffers.l1", b.getI64IntegerAttr(2));
  for (linalg::ContractOp contract : contracts)
    if (failed(chooseStage(contract)))
      return failure();
  return success();
}

/// A tile that the schedule does not give, or leaves to the shape.
void Chooser::chooseTile(StringRef dim, int64_t size) {
  const std::string key = ("tile." + dim).str();
  ir::ChoiceOp choice = kernel.choice(key);
  if (choice && isa<IntegerAttr>(choice.getAlternatives()[0]))
    return;
  set(key, std::to_string(size), kernel.getLoc());
  if (mayFit(dim))
    kernel.choice(key)->setAttr("fit", b.getUnitAttr());
}

LogicalResult Chooser::addProductTiles(linalg::ContractOp contract,
                                       llvm::MapVector<StringRef, int64_t> &defaults) {
  Type type = operandType(contract);
  if (machine.depthOf(type) == 0)
    return contract.emitError() << machine.getName().getValue() << " has no cube instruction for "
                                << type << " operands";
  SmallVector<StringRef> names = dimNames(contract);
  StringRef dims[] = {names[names.size() - 3], names[names.size() - 2], names.back()};
  const int64_t bytes = type.getIntOrFloatBitWidth() / 8;
  const bool host = machine.getTopology() == aicore::Topology::host;
  int64_t sizes[] = {host ? hostTile : 128, host ? hostTile : 256, host ? hostDepth : 128 / bytes};
  auto &[m, n, k] = sizes;
  auto given = [&](unsigned i) { return number(("tile." + dims[i]).str()) > 0; };
  for (unsigned i = 0; i < 3; ++i)
    if (given(i))
      sizes[i] = number(("tile." + dims[i]).str());
  // On a smaller machine, what the schedule leaves open is halved until it fits: the longer side of
  // the accumulator, then the depth of the operands.
  while (!host && m * n * 4 > machine.capacity(aicore::Space::l0c)) {
    const bool shrinksN = !given(1) && (n >= m || given(0)) && n > 16;
    if (!shrinksN && (given(0) || m <= 16))
      break;
    (shrinksN ? n : m) /= 2;
  }
  const int64_t copies = number("buffers.l0", 2);
  while (!host && !given(2) && k > machine.depthOf(type) &&
         (m * k * bytes * copies > machine.capacity(aicore::Space::l0a) ||
          n * k * bytes * copies > machine.capacity(aicore::Space::l0b)))
    k /= 2;
  for (auto [dim, size] : llvm::zip(dims, sizes))
    if (isName(dim)) {
      int64_t &least = defaults.insert({dim, size}).first->second;
      least = std::min(least, size);
    }
  return success();
}

// Without a product a tile is one step of a vector core: rows of 512 elements (whole packets of
// global memory for every type), and as many rows as leave room in UB for two copies of each tensor
// and for two intermediate values.
void Chooser::addElementwiseTiles(llvm::MapVector<StringRef, int64_t> &defaults) {
  int64_t tensors = kernel.getResults().size();
  for (Type type : kernel.getBody().getArgumentTypes())
    tensors += isa<RankedTensorType>(type);
  int64_t elements = machine.capacity(aicore::Space::ub) / (2 * tensors + 2) / 4;
  // The host reads rows where they are; long ones keep its prefetchers on their way.
  const bool host = machine.getTopology() == aicore::Topology::host;
  const int64_t row = host ? 4096 : 512;
  auto add = [&](StringRef dim, int64_t size) {
    if (!isName(dim))
      return;
    int64_t &least = defaults.insert({dim, size}).first->second;
    least = std::min(least, size);
  };
  for (auto named : kernel.getResults().getAsRange<ir::NamedAttr>()) {
    ArrayRef<StringAttr> dims = named.getDims();
    int64_t rows = std::max<int64_t>(1, elements / row);
    add(dims.back().getValue(), dims.size() == 1 ? rows * row : row);
    if (dims.size() > 1)
      add(dims[dims.size() - 2].getValue(), rows);
  }
}

LogicalResult Chooser::chooseStage(linalg::ContractOp contract) {
  SmallVector<StringRef> names = dimNames(contract);
  StringRef k = names.back();
  if (!isName(k))
    return success();
  auto tileOf = [&](StringRef dim, int64_t literal) {
    return isName(dim) ? number(("tile." + dim).str()) : literal;
  };
  int64_t tileK = tileOf(k, 0);
  int64_t row = (tileOf(names[names.size() - 3], 128) + tileOf(names[names.size() - 2], 256)) *
                operandType(contract).getIntOrFloatBitWidth() / 8;
  int64_t room = machine.capacity(aicore::Space::l1) / number("buffers.l1");
  int64_t factor = machine.getTopology() == aicore::Topology::host ? 1 : 4;
  while (factor > 1 && row * tileK * factor > room)
    factor /= 2;
  std::string key = ("stage." + k).str();
  addDefault(key, b.getI64IntegerAttr(tileK * factor));
  if (number(key) % tileK == 0)
    return success();
  int64_t below = number(key) / tileK * tileK;
  InFlightDiagnostic error = kernel.choice(key).emitError()
                             << key << " = " << number(key) << " is not a multiple of tile." << k
                             << " = " << tileK << "; nearest legal: ";
  if (below > 0)
    error << below << ", ";
  return error << below + tileK;
}

void Chooser::chooseBuffers() {
  if (hasProduct(kernel)) {
    addDefault("buffers.l1", b.getI64IntegerAttr(2));
    addDefault("buffers.l0", b.getI64IntegerAttr(2));
    int64_t largest = 0;
    kernel.walk([&](linalg::ContractOp contract) {
      SmallVector<StringRef> names = dimNames(contract);
      largest = std::max(largest, number(("tile." + names[names.size() - 3]).str(), 128) *
                                      number(("tile." + names[names.size() - 2]).str(), 256) * 4);
    });
    if (keptPanel(kernel))
      addDefault("buffers.panel", b.getI64IntegerAttr(1));
    if (kernel.chosenWord("bias", "vector") == "table") {
      int64_t widest = 0;
      kernel.walk([&](linalg::ContractOp contract) {
        SmallVector<StringRef> names = dimNames(contract);
        widest = std::max(widest, number(("tile." + names[names.size() - 2]).str(), 256) * 4);
      });
      const bool fits = 2 * widest <= machine.capacity(aicore::Space::bt);
      addDefault("buffers.bt", b.getI64IntegerAttr(fits ? 2 : 1));
    }
    bool two = 2 * largest <= machine.capacity(aicore::Space::l0c);
    addDefault("buffers.acc", b.getI64IntegerAttr(two ? 2 : 1));
  }
  addDefault("buffers.out", b.getI64IntegerAttr(2));
  addDefault("buffers.ub", b.getI64IntegerAttr(2));
}

// The accumulator is drained in two parts, each of whole fractals of 16 columns.
LogicalResult Chooser::checkOverlap(ir::ChoiceOp choice) {
  if (!hasProduct(kernel))
    return choice.emitError("store = overlapped is about the accumulator of a product, and this "
                            "kernel has none; legal: after");
  LogicalResult result = success();
  const bool host = machine.getTopology() == aicore::Topology::host;
  kernel.walk([&](linalg::ContractOp contract) {
    SmallVector<StringRef> names = dimNames(contract);
    StringRef n = names[names.size() - 2];
    if (const int64_t width = isName(n) ? number(("tile." + n).str()) : 256; width < 32)
      result = choice.emitError() << "store = overlapped drains the accumulator in two parts of at "
                                  << "least 16 columns, but tile." << n << " = " << width
                                  << "; nearest legal: store = after, tile." << n << " = 32";
    // A part that is empty at all dimensions has no work that its flags could order.
    int64_t columns = 0;
    if (!host && !n.getAsInteger(10, columns) && columns <= 128)
      result = choice.emitError() << "store = overlapped drains the accumulator in two parts of "
                                  << "128 columns, but the product has " << columns
                                  << "; nearest legal: store = after";
  });
  return result;
}

// A panel holds whole steps of the cube, and only a walk along a line of tiles uses it again.
LogicalResult Chooser::checkKeep(ir::ChoiceOp choice) {
  const std::optional<KeptPanel> panel = keptPanel(kernel);
  if (!panel)
    return success();
  StringRef word = kernel.chosenWord("keep", "none");
  if (!hasProduct(kernel))
    return choice.emitError() << "keep = " << word << " is about an operand of a product, and this "
                              << "kernel has none; legal: none";
  if (machine.getTopology() == aicore::Topology::host)
    return choice.emitError() << "keep = " << word << " fills L1, which on "
                              << machine.getName().getValue()
                              << " is a cache that no program fills; legal: none";
  StringRef order = kernel.chosenWord("order", "rows"), line = panel->operand ? "columns" : "rows";
  if (order != line)
    return kernel.choice("order").emitError()
           << "keep = " << word << " needs a walk along " << line
           << " of tiles, but order = " << order << "; nearest legal: order = " << line
           << ", keep = none";
  LogicalResult result = success();
  kernel.walk([&](linalg::ContractOp contract) {
    const int64_t step = machine.depthOf(operandType(contract)), depth = panel->depth;
    int64_t literal = 0;
    StringRef k = dimNames(contract).back();
    if (depth % step != 0) {
      const int64_t below = depth / step * step;
      InFlightDiagnostic error = choice.emitError()
                                 << "keep = " << word << ": the depth " << depth
                                 << " is not a multiple of " << step << ", the cube's depth for "
                                 << operandType(contract) << "; nearest legal: ";
      if (below > 0)
        error << below << ", ";
      result = error << below + step;
    } else if (!k.getAsInteger(10, literal) && literal > depth) {
      result = choice.emitError() << "keep = " << word << " holds panels up to a depth of " << depth
                                  << ", but the product is " << literal
                                  << " deep; nearest legal: " << llvm::alignTo(literal, step);
    }
  });
  return result;
}

// A product starts from its bias where there is a table for it, and one start for all of its sum.
LogicalResult Chooser::checkBias(ir::ChoiceOp choice) {
  if (kernel.chosenWord("bias", "vector") == "vector")
    return success();
  if (machine.capacity(aicore::Space::bt) == 0)
    return choice.emitError() << "bias = table needs a bias table, which "
                              << machine.getName().getValue() << " has not; legal: vector";
  if (!hasProduct(kernel))
    return choice.emitError()
           << "bias = table is about what is added to a product, and this kernel "
           << "has none; legal: vector";
  std::string problem;
  if (findAddedRows(kernel, problem).empty())
    return choice.emitError() << "bias = table takes a row of f32 that is added to a product, but "
                              << problem << "; legal: vector";
  for (StringRef k : dimsOf(kernel).reductions)
    if (const int64_t parts = number(("grid." + k).str(), 1); parts > 1)
      return choice.emitError() << "bias = table starts the whole sum of a product, but grid." << k
                                << " = " << parts << " makes it of parts; nearest legal: grid." << k
                                << " = 1, bias = vector";
  return success();
}

// Directives of the language that this compiler cannot carry out are refused, never dropped.
LogicalResult Chooser::refuseUnsupported() {
  TileDims dims = dimsOf(kernel);
  int64_t rectangles = 1, parts = 1;
  for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>()) {
    StringRef key = choice.getKey();
    if (key == "store" && kernel.chosenWord(key, "after") == "overlapped" &&
        failed(checkOverlap(choice)))
      return failure();
    if (key == "keep" && failed(checkKeep(choice)))
      return failure();
    if (key == "bias" && failed(checkBias(choice)))
      return failure();
    auto [directive, dim] = key.split('.');
    if (directive == "grid" && llvm::is_contained(dims.outputs, dim))
      rectangles *= number(key);
    if (directive == "grid" && llvm::is_contained(dims.reductions, dim))
      parts = std::max(parts, number(key));
    if (directive == "stage" && !llvm::is_contained(dims.reductions, dim))
      return choice.emitError() << key << ": only a reduction dimension has stages; legal: "
                                << llvm::join(dims.reductions, ", ");
  }
  // Without rectangles, tiles and parts are dealt one by one to however many cores there are.
  if (rectangles > 1 && rectangles * parts > number("cores")) {
    InFlightDiagnostic error = kernel.choice("cores").emitError()
                               << "the grid has " << rectangles << " rectangles";
    if (parts > 1)
      error << " for each of " << parts << " parts of the reduction";
    return error << ", but only " << number("cores") << " cores deal with them";
  }
  return success();
}

// Evaluates a rule's arithmetic over the chosen numbers.
std::optional<int64_t> evaluate(Value value, ir::KernelOp kernel) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return cast<IntegerAttr>(constant.getValue()).getValue().getZExtValue();
  if (auto chosen = dyn_cast_or_null<ir::ChosenOp>(op)) {
    ir::ChoiceOp choice = kernel.choice(chosen.getKey());
    if (!choice || !isa<IntegerAttr>(choice.getAlternatives()[0]))
      return std::nullopt;
    return kernel.chosenNumber(chosen.getKey(), 0);
  }
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<int64_t> x = evaluate(op->getOperand(0), kernel),
                         y = evaluate(op->getOperand(1), kernel);
  if (!x || !y)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](arith::AddIOp) { return *x + *y; })
      .Case([&](arith::SubIOp) { return *x - *y; })
      .Case([&](arith::MulIOp) { return *x * *y; })
      .Case([&](arith::DivSIOp) { return *y ? std::optional(*x / *y) : std::nullopt; })
      .Case([&](arith::RemSIOp) { return *y ? std::optional(*x % *y) : std::nullopt; })
      .Case([&](arith::AndIOp) { return *x & *y; })
      .Case([&](arith::OrIOp) { return *x | *y; })
      .Case([&](arith::XOrIOp) { return *x ^ *y; })
      .Case([&](arith::CmpIOp compare) {
        return int64_t(arith::applyCmpPredicate(compare.getPredicate(), APInt(64, *x, true),
                                                APInt(64, *y, true)));
      })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult Chooser::checkRules() {
  for (ir::RequireOp require :
       llvm::make_early_inc_range(kernel.getSchedule().getOps<ir::RequireOp>())) {
    auto yield = cast<ir::YieldOp>(require.getRule().front().back());
    std::optional<int64_t> holds = evaluate(yield.getValues()[0], kernel);
    if (holds && (*holds & 1)) {
      require.erase();
      continue;
    }
    SmallVector<std::string> values;
    llvm::StringSet<> said;
    require.walk([&](ir::ChosenOp chosen) {
      if (!said.insert(chosen.getKey()).second)
        return;
      ir::ChoiceOp choice = kernel.choice(chosen.getKey());
      values.push_back((chosen.getKey() + " = " +
                        (choice ? word(choice.getAlternatives()[0]) : std::string("nothing")))
                           .str());
    });
    return require.emitError() << "the variant breaks the rule " << require.getText() << ": "
                               << llvm::join(values, ", ");
  }
  return success();
}

struct ApplyVariantPass : impl::ApplyVariantBase<ApplyVariantPass> {
  using ApplyVariantBase::ApplyVariantBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!machine.empty()) {
      llvm::Expected<Machine> loaded = loadMachine(machine);
      if (!loaded) {
        module.emitError(llvm::toString(loaded.takeError()));
        return signalPassFailure();
      }
      module->setAttr("aicore.machine", machineAttr(*loaded, getContext()));
    }
    auto attr = aicore::machineOf(module);
    if (!attr) {
      module.emitError(
          "expected a machine: the module has no aicore.machine, and the pass was given none");
      return signalPassFailure();
    }
    for (ir::KernelOp kernel : module.getOps<ir::KernelOp>()) {
      if (failed(checkDims(kernel)))
        return signalPassFailure();
      Choices choices;
      std::string message;
      if (!parseVariant(variant, tileDims(kernel), choices, message)) {
        kernel.emitError(message);
        return signalPassFailure();
      }
      if (failed(Chooser(kernel, attr).run(choices)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace mmk
