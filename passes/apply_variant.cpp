#include "backend/backend.h"
#include "passes/legal_variant.h"
#include "passes/passes.h"
#include "passes/variant.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_APPLYVARIANT
#include "passes/Passes.h.inc"

namespace {

class Chooser {
public:
  Chooser(ir::KernelOp kernel, aicore::MachineAttr machine)
      : kernel(kernel), machine(machine), backend(backendOf(machine)), b(kernel.getContext()) {}

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
    if (failed(checkLegal(kernel, machine)))
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

  ir::KernelOp kernel;
  aicore::MachineAttr machine;
  const Backend &backend;
  OpBuilder b;
};

// The frontend has checked its own alternatives; an override or textual IR may say anything.
LogicalResult Chooser::checkChoices() {
  for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>()) {
    StringRef key = choice.getKey();
    auto number = dyn_cast<IntegerAttr>(choice.getAlternatives()[0]);
    auto refuse = [&](const Twine &legal) {
      return choice.emitError() << key << " = " << spelling(choice.getAlternatives()[0])
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
    } else if (key == "skew") {
      if (text != "none" && text != "stages")
        return refuse("none or stages");
    } else {
      return choice.emitError() << key << " is no directive; legal: cores, grid, tile, stage, "
                                << "buffers, keep, bias, skew, store, order, epilogue";
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
  const ProductNames names = productNames(contract);
  StringRef dims[] = {names.rows, names.columns, names.reduction};
  auto given = [&](unsigned i) { return number(("tile." + dims[i]).str()); };
  const ProductTile tile =
      backend.productTile(machine, {type, given(0), given(1), given(2), number("buffers.l0", 2)});
  const int64_t sizes[] = {tile.m, tile.n, tile.k};
  for (auto [dim, size] : llvm::zip(dims, sizes))
    if (isName(dim)) {
      int64_t &least = defaults.insert({dim, size}).first->second;
      least = std::min(least, size);
    }
  return success();
}

void Chooser::addElementwiseTiles(llvm::MapVector<StringRef, int64_t> &defaults) {
  int64_t tensors = kernel.getResults().size();
  for (Type type : kernel.getBody().getArgumentTypes())
    tensors += isa<RankedTensorType>(type);
  auto add = [&](StringRef dim, int64_t size) {
    if (!isName(dim))
      return;
    int64_t &least = defaults.insert({dim, size}).first->second;
    least = std::min(least, size);
  };
  for (auto named : kernel.getResults().getAsRange<ir::NamedAttr>()) {
    ArrayRef<StringAttr> dims = named.getDims();
    const ElementwiseTile tile = backend.elementwiseTile(machine, tensors, dims.size());
    add(dims.back().getValue(), tile.columns);
    if (dims.size() > 1)
      add(dims[dims.size() - 2].getValue(), tile.rows);
  }
}

LogicalResult Chooser::chooseStage(linalg::ContractOp contract) {
  const ProductNames names = productNames(contract);
  StringRef k = names.reduction;
  if (!isName(k))
    return success();
  auto tileOf = [&](StringRef dim, int64_t literal) {
    return isName(dim) ? number(("tile." + dim).str()) : literal;
  };
  int64_t tileK = tileOf(k, 0);
  int64_t row = (tileOf(names.rows, 128) + tileOf(names.columns, 256)) *
                operandType(contract).getIntOrFloatBitWidth() / 8;
  const int64_t factor = backend.baseTilesOfStage(machine, row, tileK, number("buffers.l1"));
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
      const ProductNames names = productNames(contract);
      largest = std::max(largest, number(("tile." + names.rows).str(), 128) *
                                      number(("tile." + names.columns).str(), 256) * 4);
    });
    if (keptPanel(kernel))
      addDefault("buffers.panel", b.getI64IntegerAttr(1));
    if (kernel.chosenWord("bias", "vector") == "table") {
      int64_t widest = 0;
      kernel.walk([&](linalg::ContractOp contract) {
        widest =
            std::max(widest, number(("tile." + productNames(contract).columns).str(), 256) * 4);
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
