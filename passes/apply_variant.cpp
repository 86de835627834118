#include "backend/backend.h"
#include "ir/diagnostic_code.h"
#include "passes/legal_variant.h"
#include "passes/passes.h"
#include "passes/row_space.h"
#include "passes/variant.h"
#include "schedule/directive.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_APPLYVARIANT
#include "passes/Passes.h.inc"

namespace {

/// Makes the choices that a schedule leaves open.
class Defaults {
public:
  Defaults(ir::KernelOp kernel, aicore::MachineAttr machine)
      : kernel(kernel), machine(machine), backend(backendOf(machine)), b(kernel.getContext()) {}

  LogicalResult run() {
    for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>())
      choice.setAlternativesAttr(b.getArrayAttr({choice.getAlternatives()[0]}));
    if (failed(checkChoices()) || failed(chooseCores()) || failed(chooseTiles()))
      return failure();
    chooseBuffers();
    for (const DirectiveTraits &directive : allDirectives())
      if (directive.named == Proposal::always ||
          (directive.named == Proposal::ofProducts && hasProduct(kernel)))
        addDefault(directive.name, b.getStringAttr(directive.words.front().word));
    if (failed(checkLegal(kernel, machine)))
      return failure();
    kernel->setAttr("variant", b.getStringAttr(variantName(kernel)));
    return success();
  }

private:
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
    bool isOutput = false;
    kernel.walk([&](linalg::ContractOp contract) {
      const ProductNames names = productNames(contract);
      isOutput |= dim == names.rows || dim == names.columns;
    });
    return isOutput && !llvm::is_contained(dimsOf(kernel).reductions, dim);
  }

  LogicalResult checkChoices();
  LogicalResult chooseCores();
  LogicalResult chooseTiles();
  void chooseTile(StringRef dim, int64_t size);
  /// A dimension with several roles (a product of products, or a square) takes the least of their
  /// lengths, rounded to a common multiple.
  struct DefaultTile {
    int64_t length, unit;
  };
  static void addLeast(llvm::MapVector<StringRef, DefaultTile> &defaults, StringRef dim,
                       int64_t length, int64_t unit = 1);
  /// Products that a tile has side by side, this one among them.
  int64_t productsBeside(linalg::ContractOp contract);
  LogicalResult addProductTiles(linalg::ContractOp contract,
                                llvm::MapVector<StringRef, DefaultTile> &defaults);
  void addElementwiseTiles(llvm::MapVector<StringRef, DefaultTile> &defaults);
  void addRowTiles(llvm::MapVector<StringRef, DefaultTile> &defaults);
  LogicalResult chooseStage(linalg::ContractOp contract);
  void chooseBuffers();

  ir::KernelOp kernel;
  aicore::MachineAttr machine;
  const Backend &backend;
  OpBuilder b;
};

// The frontend has checked its own alternatives; an override or textual IR has not been checked.
LogicalResult Defaults::checkChoices() {
  for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>()) {
    StringRef key = choice.getKey();
    auto number = dyn_cast<IntegerAttr>(choice.getAlternatives()[0]);
    auto refuse = [&](const Twine &legal) {
      return choice.emitError() << key << " = " << spelling(choice.getAlternatives()[0])
                                << " is not legal; expected " << legal;
    };
    StringRef text = number ? StringRef() : kernel.chosenWord(key, "");
    const DirectiveTraits *directive = findDirective(key);
    if (!directive || (directive->index == DirectiveIndex::none && key.contains('.')))
      return choice.emitError() << key << " is no directive; legal: "
                                << llvm::join(directiveNames(), ", ");
    if (!directive->words.empty()) {
      if (number || !chosenWord(*directive, text))
        return refuse(legalWords(*directive));
      continue;
    }
    const bool mayBeAuto = directive->mayBeAuto && (!directive->isLength || mayFit(indexOf(key)));
    if (number ? number.getInt() < directive->minimum : !mayBeAuto || text != "auto")
      return refuse(directive->minimum == 0             ? "a number of 0 or more"
                    : mayBeAuto && !directive->isLength ? "auto or a positive number"
                                                        : "a positive number");
  }
  return success();
}

LogicalResult Defaults::chooseCores() {
  addDefault("cores", b.getStringAttr("auto"));
  ir::ChoiceOp choice = kernel.choice("cores");
  if (isa<StringAttr>(choice.getAlternatives()[0]))
    choice.setAlternativesAttr(b.getI64ArrayAttr({machine.getCores()}));
  int64_t cores = number("cores");
  if (cores > machine.getCores())
    return choice.emitError() << "cores = " << cores << ", but " << machine.getName().getValue()
                              << " has " << machine.getCores();
  return success();
}

LogicalResult Defaults::chooseTiles() {
  llvm::MapVector<StringRef, DefaultTile> defaults;
  SmallVector<linalg::ContractOp> contracts;
  kernel.walk([&](linalg::ContractOp contract) { contracts.push_back(contract); });
  for (linalg::ContractOp contract : contracts)
    if (failed(addProductTiles(contract, defaults)))
      return failure();
  if (contracts.empty())
    addElementwiseTiles(defaults);
  addRowTiles(defaults);
  for (auto [dim, tile] : defaults)
    chooseTile(dim, wholeUnits(tile.length, tile.unit));
  if (!contracts.empty())
    addDefault("buffers.l1", b.getI64IntegerAttr(2));
  for (linalg::ContractOp contract : contracts)
    if (failed(chooseStage(contract)))
      return failure();
  return success();
}

/// A tile that the schedule does not choose, or leaves to the shape.
void Defaults::chooseTile(StringRef dim, int64_t size) {
  const std::string key = ("tile." + dim).str();
  ir::ChoiceOp choice = kernel.choice(key);
  if (choice && isa<IntegerAttr>(choice.getAlternatives()[0]))
    return;
  setChoice(kernel, key, std::to_string(size));
  if (mayFit(dim))
    kernel.choice(key)->setAttr("fit", b.getUnitAttr());
}

void Defaults::addLeast(llvm::MapVector<StringRef, DefaultTile> &defaults, StringRef dim,
                        int64_t length, int64_t unit) {
  if (!isTiled(dim))
    return;
  DefaultTile &least = defaults.insert({dim, {length, unit}}).first->second;
  least = {std::min(least.length, length), std::lcm(least.unit, unit)};
}

// Those of the taps of a pooling, of the same rows and columns.
int64_t Defaults::productsBeside(linalg::ContractOp contract) {
  if (kernel.chosenWord("fuse", "all") != "windows" || !readsWindowsDirectly(kernel, machine))
    return 1;
  const ProductNames names = productNames(contract);
  return llvm::count_if(kernel.getBody().getOps<linalg::ContractOp>(),
                        [&](linalg::ContractOp each) {
                          const ProductNames others = productNames(each);
                          return others.rows == names.rows && others.columns == names.columns;
                        });
}

LogicalResult Defaults::addProductTiles(linalg::ContractOp contract,
                                        llvm::MapVector<StringRef, DefaultTile> &defaults) {
  Type type = operandType(contract);
  if (machine.depthOf(type) == 0)
    return contract.emitError() << machine.getName().getValue() << " has no cube instruction for "
                                << type << " operands";
  const ProductNames names = productNames(contract);
  StringRef dims[] = {names.rows, names.columns, names.reduction};
  auto given = [&](unsigned i) { return number(("tile." + dims[i]).str()); };
  const ProductTile tile =
      backend.productTile(machine, {type, given(0), given(1), given(2), number("buffers.l0", 2),
                                    productsBeside(contract)});
  const CubeUnits cube = cubeUnits(kernel, machine);
  const int64_t sizes[] = {tile.m, tile.n, tile.k},
                units[] = {cube.rows, cube.columns, machine.depthOf(type)};
  for (auto [dim, size, unit] : llvm::zip(dims, sizes, units))
    addLeast(defaults, dim, size, unit);
  return success();
}

void Defaults::addElementwiseTiles(llvm::MapVector<StringRef, DefaultTile> &defaults) {
  int64_t tensors = kernel.getResults().size();
  for (Type type : kernel.getBody().getArgumentTypes())
    tensors += isa<RankedTensorType>(type);
  kernel.walk([&](ir::WindowOp) { ++tensors; }); // each is loaded by itself
  for (const SmallVector<StringRef> &dims : resultDims(kernel)) {
    if (dims.empty())
      continue;
    const ElementwiseTile tile = backend.elementwiseTile(machine, tensors, dims.size());
    addLeast(defaults, dims.back(), tile.columns);
    if (dims.size() > 1)
      addLeast(defaults, dims[elementwiseRows(dims)], tile.rows);
  }
}

/// The dimensions along which tiles of row groups extend and nothing else has a tile. The default
/// of a result's only dimension, thousands of elements, would be as many rows: it is shortened,
/// unless a product has rows or columns along it.
void Defaults::addRowTiles(llvm::MapVector<StringRef, DefaultTile> &defaults) {
  const bool hasProducts = hasProduct(kernel);
  const auto isOpen = [&](StringRef dim) {
    return !defaults.contains(dim) ||
           (!hasProducts && llvm::none_of(resultDims(kernel), [&](const auto &dims) {
             return dims.size() > 1 && llvm::is_contained(dims, dim);
           }));
  };
  kernel.walk([&](linalg::GenericOp generic) {
    if (!isRowReduction(generic))
      return;
    const RowSpace space(cast<linalg::LinalgOp>(generic.getOperation()));
    const TilePlane plane = planeOf(space);
    const ElementwiseTile tile = backend.elementwiseTile(machine, generic.getNumOperands(), 2);
    if (isOpen(space.names[plane.columns]))
      addLeast(defaults, space.names[plane.columns], tile.columns);
    if (plane.rows >= 0 && isOpen(space.names[plane.rows]))
      addLeast(defaults, space.names[plane.rows], tile.rows);
  });
}

LogicalResult Defaults::chooseStage(linalg::ContractOp contract) {
  const ProductNames names = productNames(contract);
  StringRef k = names.reduction;
  if (!isTiled(k))
    return success();
  auto tileOf = [&](StringRef dim, int64_t literal) {
    return isTiled(dim) ? number(("tile." + dim).str()) : literal;
  };
  const ProductTile literal = backend.literalProductTile(machine, operandType(contract));
  const int64_t tileK = baseDepth(kernel, contract, machine, 0);
  const int64_t row = (tileOf(names.rows, literal.m) + tileOf(names.columns, literal.n)) *
                      operandType(contract).getIntOrFloatBitWidth() / 8 * productsBeside(contract);
  const int64_t factor = backend.baseTilesOfStage(machine, row, tileK, number("buffers.l1"));
  std::string key = ("stage." + k).str();
  addDefault(key, b.getI64IntegerAttr(tileK * factor));
  if (number(key) % tileK == 0)
    return success();
  return nearestLegal(kernel.choice(key).emitError()
                      << key << " = " << number(key) << " is not a multiple of tile." << k << " = "
                      << tileK
                      << "; nearest legal: " << nearestMultiples(number(key), tileK, maximumTile));
}

void Defaults::chooseBuffers() {
  if (hasProduct(kernel)) {
    addDefault("buffers.l1", b.getI64IntegerAttr(2));
    addDefault("buffers.l0", b.getI64IntegerAttr(2));
    int64_t largest = 0;
    kernel.walk([&](linalg::ContractOp contract) {
      const ProductNames names = productNames(contract);
      const ProductTile literal = backend.literalProductTile(machine, operandType(contract));
      largest = std::max(largest, number(("tile." + names.rows).str(), literal.m) *
                                      number(("tile." + names.columns).str(), literal.n) * 4 *
                                      productsBeside(contract));
    });
    if (keptPanel(kernel))
      addDefault("buffers.panel", b.getI64IntegerAttr(1));
    if (kernel.chosenWord("bias", "vector") == "table") {
      int64_t widest = 0;
      kernel.walk([&](linalg::ContractOp contract) {
        const int64_t literal = backend.literalProductTile(machine, operandType(contract)).n;
        widest =
            std::max(widest, number(("tile." + productNames(contract).columns).str(), literal) * 4);
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
      if (kernel.getSchedule().empty())
        OpBuilder(kernel).createBlock(&kernel.getSchedule());
      if (failed(Defaults(kernel, attr).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace mmk
