#include "passes/variant.h"

#include "backend/backend.h"
#include "passes/row_space.h"
#include "schedule/directive.h"

#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;

namespace mmk {

LogicalResult checkGroups(ir::KernelOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (isa<linalg::LinalgOp>(op))
      return op.emitOpError("is in no fusion group; run mmk-fuse-epilogue first");
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
    const ProductNames names = productNames(contract);
    outputs.append({names.rows, names.columns});
  });
  // Tiles of row groups extend along two dimensions of their iterations.
  for (const RowSpace &space : reducedSpaces(kernel)) {
    const TilePlane plane = planeOf(space);
    for (int64_t dim : {plane.rows, plane.columns})
      if (dim >= 0)
        outputs.push_back(space.names[dim]);
  }
  if (!hasProduct(kernel))
    for (const SmallVector<StringRef> &dims : resultDims(kernel)) {
      if (const int64_t rows = elementwiseRows(dims); rows >= 0)
        outputs.push_back(dims[rows]);
      if (!dims.empty())
        outputs.push_back(dims.back());
    }
  return outputs;
}

std::vector<SmallVector<StringRef>> resultDims(ir::KernelOp kernel) {
  std::vector<SmallVector<StringRef>> all;
  for (Value result : kernel.getBody().front().getTerminator()->getOperands()) {
    const Value computed = behindReshapes(result);
    auto &dims = all.emplace_back();
    for (int64_t dim = 0; dim < cast<RankedTensorType>(computed.getType()).getRank(); ++dim)
      dims.push_back(dimName(computed, dim));
  }
  return all;
}

aicore::MachineAttr expectMachine(Operation *module) {
  aicore::MachineAttr machine = aicore::machineOf(module);
  if (!machine)
    module->emitError("expected a machine; run mmk-apply-variant first");
  return machine;
}

int64_t baseDepth(ir::KernelOp kernel, linalg::ContractOp contract, aicore::MachineAttr machine,
                  int64_t literal) {
  return baseDepth(
      dimsOf(kernel).outputs, contract, machine, literal,
      [&](StringRef key, int64_t otherwise) { return kernel.chosenNumber(key, otherwise); });
}

int64_t baseDepth(ArrayRef<StringRef> outputs, linalg::ContractOp contract,
                  aicore::MachineAttr machine, int64_t literal, Chosen chosen) {
  const ProductNames names = productNames(contract);
  const int64_t tile = chosen(("tile." + names.reduction).str(), 0);
  if (tile == 0)
    return literal;
  const int64_t ofA = machine ? machine.capacity(aicore::Space::l0a) : 0,
                ofB = machine ? machine.capacity(aicore::Space::l0b) : 0;
  if (ofA == 0 || ofB == 0 || !llvm::is_contained(outputs, names.reduction))
    return tile;
  const Type type = operandType(contract);
  const ProductTile literalTile = backendOf(machine).literalProductTile(machine, type);
  const int64_t bytes = type.getIntOrFloatBitWidth() / 8 * chosen("buffers.l0", 2);
  const int64_t rows = chosen(("tile." + names.rows).str(), literalTile.m),
                columns = chosen(("tile." + names.columns).str(), literalTile.n),
                unit = machine.depthOf(type);
  return halvedTo(std::min(ofA / (rows * bytes), ofB / (columns * bytes)), tile, unit);
}

bool readsWindowsDirectly(ir::KernelOp kernel, aicore::MachineAttr machine) {
  return backendOf(machine).hasPipes() &&
         kernel.chosenWord("window", "unfolded").starts_with("direct");
}

CubeUnits cubeUnits(ir::KernelOp kernel, aicore::MachineAttr machine) {
  const int64_t m = machine.getCubeM(), n = machine.getCubeN();
  if (!readsWindowsDirectly(kernel, machine))
    return {m, n};
  return {std::lcm(m, n), std::lcm(m, n)};
}

std::optional<KeptPanel> keptPanel(ir::KernelOp kernel) {
  return keptPanel(kernel.chosenWord("keep", "none"));
}

std::optional<KeptPanel> keptPanel(StringRef word) {
  const std::optional<ChosenWord> chosen = chosenWord(*findDirective("keep"), word);
  if (!chosen || chosen->argument == 0)
    return std::nullopt;
  return KeptPanel{chosen->word == "B" ? 1u : 0u, chosen->argument};
}

StringRef orderAlong(const KeptPanel &panel) { return panel.operand == 0 ? "rows" : "columns"; }

bool hasProduct(ir::KernelOp kernel) {
  return kernel.walk([](linalg::ContractOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool isTiled(StringRef dim) { return !dim.empty() && dim != "1"; }

SmallVector<StringRef> TileDims::onlyReductions() const {
  SmallVector<StringRef> rest;
  for (StringRef dim : reductions)
    if (!llvm::is_contained(outputs, dim))
      rest.push_back(dim);
  return rest;
}

TileDims dimsOf(ir::KernelOp kernel) {
  TileDims dims;
  auto add = [](SmallVector<StringRef> &list, StringRef dim) {
    if (isTiled(dim) && !llvm::is_contained(list, dim))
      list.push_back(dim);
  };
  for (StringRef dim : outputDims(kernel))
    add(dims.outputs, dim);
  // In an order that does not depend on the passes which ran: those of row groups come and go.
  // Literal extents are last.
  if (!hasProduct(kernel)) {
    const auto place = [&](StringRef dim) {
      return llvm::find_if(kernel.getDims(), [&](Attribute name) {
        return cast<StringAttr>(name).getValue() == dim;
      });
    };
    llvm::stable_sort(dims.outputs, [&](StringRef a, StringRef b) { return place(a) < place(b); });
  }
  kernel.walk(
      [&](linalg::ContractOp contract) { add(dims.reductions, productNames(contract).reduction); });
  return dims;
}

std::string spelling(Attribute alternative) {
  if (auto number = dyn_cast<IntegerAttr>(alternative))
    return std::to_string(number.getInt());
  return cast<StringAttr>(alternative).getValue().str();
}

} // namespace mmk
