#include "passes/variant.h"

#include "schedule/directive.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mmk {

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

// At most 128 x 256, with rows of 128 bytes along k: that fills L0C of the 910b, and leaves room
// for two copies in L0A and L0B.
ProductTile largestTile(aicore::MachineAttr machine, Type operand) {
  const int64_t bytes = operand.getIntOrFloatBitWidth() / 8;
  if (!machine) // of a pass that is run by itself
    return {128, 256, 128 / bytes};
  auto upTo = [&](int64_t length, int64_t unit) {
    return wholeUnits(std::min(length, machine.getMaxExtent()), std::max<int64_t>(1, unit));
  };
  return {upTo(128, machine.getCubeM()), upTo(256, machine.getCubeN()),
          upTo(128 / bytes, machine.depthOf(operand))};
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
  return keptPanel(kernel.chosenWord("keep", "none"));
}

std::optional<KeptPanel> keptPanel(StringRef word) {
  const std::optional<ChosenWord> chosen = chosenWord(*findDirective("keep"), word);
  if (!chosen || chosen->argument == 0)
    return std::nullopt;
  return KeptPanel{chosen->word == "B" ? 1u : 0u, chosen->argument};
}

StringRef walkOf(const KeptPanel &panel) { return panel.operand == 0 ? "rows" : "columns"; }

bool hasProduct(ir::KernelOp kernel) {
  return kernel.walk([](linalg::ContractOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool isName(StringRef dim) { return !dim.empty() && !llvm::isDigit(dim[0]); }

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
    if (isName(dim) && !llvm::is_contained(list, dim))
      list.push_back(dim);
  };
  for (StringRef dim : outputDims(kernel))
    add(dims.outputs, dim);
  kernel.walk(
      [&](linalg::ContractOp contract) { add(dims.reductions, dimNames(contract).back()); });
  return dims;
}

std::string spelling(Attribute alternative) {
  if (auto number = dyn_cast<IntegerAttr>(alternative))
    return std::to_string(number.getInt());
  return cast<StringAttr>(alternative).getValue().str();
}

} // namespace mmk
