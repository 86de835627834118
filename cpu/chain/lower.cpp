// A group of two products with rows between, as one operation on each of its tiles.
#include "cpu/lower.h"
#include "cpu/chain/region.h"
#include "ir/diagnostic_code.h"
#include "passes/dimensions.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

using aicore::Space;

LogicalResult CpuLowering::expectOperands(ir::FusionGroupOp group, Chain &chain,
                                          RowProgram &program) {
  if (!chain.isSimple()) {
    ir::ChoiceOp choice = kernel.choice("fuse");
    return nearestLegal((choice ? choice.emitError() : group.emitError())
                        << "fuse = products computes two products in one loop on "
                        << machine.getName().getValue() << ", found "
                        << chain.firsts.size() + chain.seconds.size()
                        << "; nearest legal: fuse = all");
  }
  linalg::ContractOp first = chain.firsts[0], second = chain.seconds[0].product;
  for (linalg::ContractOp product : {first, second})
    if (!isa<FloatType>(operandType(product))) {
      ir::ChoiceOp choice = kernel.choice("fuse");
      return nearestLegal((choice ? choice.emitError() : product.emitError())
                          << "fuse = products computes products of floats on "
                          << machine.getName().getValue() << ", found one of "
                          << operandType(product) << "; nearest legal: fuse = all");
    }
  SmallVector<Value> operands = {first.getInputs()[0], first.getInputs()[1], second.getInputs()[1]};
  for (const RowInput &input : program.inputs())
    if (!chain.isOfFirst(input.tensor))
      operands.push_back(input.tensor);
  for (Value operand : operands)
    if (failed(expectInput(group, operand)))
      return failure();
  return success();
}

Tensors CpuLowering::inputsOfRows(RowProgram &program, Value scores, RowElements &elements) {
  const auto rank = static_cast<int64_t>(program.space().names.size());
  Tensors inputs;
  for (const RowInput &input : program.inputs()) {
    if (input.tensor == scores)
      continue;
    const GlobalView view = viewOf(input.tensor);
    int64_t along[] = {-1, -1}; // the batch of a tile is one
    for (auto [dim, viewDim] : llvm::zip(input.dims, view.dims))
      if (dim >= rank - 2)
        along[dim - (rank - 2)] = viewDim;
    if (view.generated) {
      elements.generated.push_back({input.element, generatedInput(view, along, inputs)});
    } else {
      elements.ofArguments.resize(inputs.tensors.size());
      elements.ofArguments.push_back(input.element);
      inputs.add(view, along, index(0));
    }
  }
  return inputs;
}

LogicalResult CpuLowering::emitChain(ir::FusionGroupOp group, scf::ForOp tileLoop, Chain chain) {
  FailureOr<RowProgram> program = chainRows(kernel, group, chain, *tileLoop.getBody());
  if (failed(program) || failed(expectOperands(group, chain, *program)))
    return failure();
  startPhase(group);
  aicore::AllocOp scratch =
      alloc("chain", Space::ub, 1, tuning.chainScratchElements(), b.getF32Type(), loc);
  emitScalars(group);
  emitLoop(tileLoop);
  loc = group.getLoc();
  linalg::ContractOp first = chain.firsts[0], second = chain.seconds[0].product;
  const Tensors a = operandOf(first, 0, first.getInputs()[0]),
                bOperand = operandOf(first, 1, first.getInputs()[1]),
                v = operandOf(second, 1, second.getInputs()[1]);

  RowElements elements;
  Value scores = first.getResult(0), score;
  const Tensors inputs = inputsOfRows(*program, scores, elements);
  for (const RowInput &input : program->inputs())
    if (input.tensor == scores)
      score = input.element;
  // Results of the rows, and those of the second product.
  Tensors outputs;
  SmallVector<Value> ofRows;
  SmallVector<Destination> behind;
  for (const Destination &destination : findDestinations(group, tileLoop)) {
    const RowOutput *output = nullptr;
    for (const RowOutput &each : program->outputs())
      if (each.tensor == destination.value)
        output = &each;
    if (!output) {
      behind.push_back(destination);
      continue;
    }
    int64_t row = -1;
    for (auto [dim, viewDim] : llvm::zip(output->dims, destination.view.dims))
      if (dim == static_cast<int64_t>(program->space().names.size()) - 2)
        row = viewDim;
    outputs.add(destination.view, row, -1, index(0));
    ofRows.push_back(output->element);
  }

  Tile tile;
  tile.generic = chain.seconds[0].epilogue;
  tile.ofChain = second.getResult(0);
  tile.rank = program->space().names.size();
  tile.rowsAt = tile.rank - 2;
  const TileInputs read = inputsOf(tile);
  const Tensors results = outputsOf(tile, behind);

  const ProductDims ofFirst = *productDims(first), ofSecond = *productDims(second);
  auto extent = [&](linalg::ContractOp product, unsigned operand, unsigned loop) {
    const AffineMap map = product.getIndexingMapsArray()[operand];
    unsigned dim = 0;
    while (map.getDimPosition(dim) != loop)
      ++dim;
    return extentOf(product.getInputs()[operand], dim);
  };
  auto op = cpu::ChainOp::create(
      b, loc, a.tensors[0], a.offsets, a.along, bOperand.tensors[0], bOperand.offsets,
      bOperand.along, v.tensors[0], v.offsets, v.along, extent(first, 0, ofFirst.rows),
      extent(first, 1, ofFirst.columns), extent(first, 0, ofFirst.reduction),
      extent(second, 1, ofSecond.columns), inputs.tensors, inputs.offsets, inputs.along,
      outputs.tensors, outputs.offsets, outputs.along, read.tensors.tensors, read.tensors.offsets,
      read.tensors.along, results.tensors, results.offsets, results.along, scratch);
  SmallVector<Type> types = {b.getF32Type()};
  types.append(inputs.elements);
  ChainRegion(b, loc, *program, map).emit(op.getBody(), types, score, elements, ofRows);
  SmallVector<Type> behindTypes = {b.getF32Type()};
  behindTypes.append(read.tensors.elements);
  emitRegion(tile, op.getEpilogue(), behindTypes, read, behind);
  return success();
}

} // namespace mmk
