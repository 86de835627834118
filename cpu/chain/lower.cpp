// A group of products with rows between, as one operation on each of its tiles.
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
  const StringRef host = machine.getName().getValue();
  const auto refuse = [&](Operation *otherwise) {
    ir::ChoiceOp choice = kernel.choice("fuse");
    return choice ? choice.emitError() : otherwise->emitError();
  };
  if (const size_t count = chain.firsts.size() + chain.seconds.size();
      count > CpuTuning::chainProducts)
    return nearestLegal(refuse(group)
                        << "fuse = products computes at most " << CpuTuning::chainProducts
                        << " products in one loop on " << host << ", found " << count
                        << "; nearest legal: fuse = all");
  SmallVector<Value> operands;
  SmallVector<linalg::ContractOp> products = chain.firsts;
  for (linalg::ContractOp first : chain.firsts)
    operands.append({first.getInputs()[0], first.getInputs()[1]});
  for (const Chain::Second &second : chain.seconds) {
    products.push_back(second.product);
    operands.push_back(products.back().getInputs()[1]);
  }
  for (linalg::ContractOp product : products)
    if (!isa<FloatType>(operandType(product)))
      return nearestLegal(refuse(product) << "fuse = products computes products of floats on "
                                          << host << ", found one of " << operandType(product)
                                          << "; nearest legal: fuse = all");
  for (const RowInput &input : program.inputs())
    if (!chain.isOfFirst(input.tensor))
      operands.push_back(input.tensor);
  for (Value operand : operands)
    if (failed(expectInput(group, operand)))
      return failure();
  return success();
}

Tensors CpuLowering::inputsOfRows(RowProgram &program, const Chain &chain, RowElements &elements) {
  const auto rank = static_cast<int64_t>(program.space().names.size());
  Tensors inputs;
  for (const RowInput &input : program.inputs()) {
    if (chain.isOfFirst(input.tensor))
      continue;
    const GlobalView view = viewOf(input.tensor);
    int64_t along[] = {-1, -1}; // the batch of a tile is one
    for (auto [dim, viewDim] : llvm::zip(input.dims, view.dims))
      if (dim >= rank - 2)
        along[dim - (rank - 2)] = viewDim;
    addInput(view, along, input.element, inputs, elements);
  }
  return inputs;
}

CpuLowering::ChainProducts CpuLowering::productsOf(Chain &chain) {
  const auto extent = [&](linalg::ContractOp product, unsigned operand, unsigned loop) {
    const AffineMap map = product.getIndexingMapsArray()[operand];
    unsigned dim = 0;
    while (map.getDimPosition(dim) != loop)
      ++dim;
    return extentOf(product.getInputs()[operand], dim);
  };
  ChainProducts products;
  for (linalg::ContractOp first : chain.firsts) {
    const ProductDims dims = *productDims(first);
    products.a.append(operandOf(first, 0, first.getInputs()[0]));
    products.b.append(operandOf(first, 1, first.getInputs()[1]));
    products.depths.push_back(extent(first, 0, dims.reduction));
    if (products.m)
      continue;
    products.m = extent(first, 0, dims.rows);
    products.n = extent(first, 1, dims.columns);
  }
  for (Chain::Second &second : chain.seconds) {
    products.v.append(operandOf(second.product, 1, second.product.getInputs()[1]));
    products.columns.push_back(extent(second.product, 1, productDims(second.product)->columns));
  }
  return products;
}

struct CpuLowering::BehindProduct {
  Tile tile;
  SmallVector<Destination> destinations;
  TileInputs inputs;
  Tensors results;
};

CpuLowering::BehindProduct CpuLowering::behind(Chain::Second &second, int64_t rank,
                                               ArrayRef<Destination> destinations) {
  BehindProduct own;
  own.tile.generic = second.epilogue;
  own.tile.ofChain = second.product.getResult(0);
  own.tile.rank = rank;
  own.tile.rowsAt = rank - 2;
  for (const Destination &destination : destinations)
    if (Operation *op = destination.value.getDefiningOp();
        op == second.product || op == second.epilogue)
      own.destinations.push_back(destination);
  own.inputs = inputsOf(own.tile);
  own.results = outputsOf(own.tile, own.destinations);
  return own;
}

LogicalResult CpuLowering::emitChain(ir::FusionGroupOp group, scf::ForOp tileLoop, Chain chain) {
  FailureOr<RowProgram> program = chainRows(kernel, group, chain);
  if (failed(program) || failed(expectOperands(group, chain, *program)))
    return failure();
  const SmallVector<Value> weights = chain.weights();
  startPhase(group);
  // The factor of weights may need one more reduction (ChainRegion).
  const int64_t elements = CpuTuning::chainScratchElements(
      std::max(chain.firsts.size(), weights.size()), program->reductions().size() + weights.size());
  aicore::AllocOp scratch = alloc("chain", Space::ub, 1, elements, b.getF32Type(), loc);
  emitScalars(group);
  emitLoop(tileLoop);
  loc = group.getLoc();
  const ChainProducts products = productsOf(chain);
  RowElements ofRow;
  const Tensors inputs = inputsOfRows(*program, chain, ofRow);
  SmallVector<Value> scores;
  for (linalg::ContractOp first : chain.firsts)
    for (const RowInput &input : program->inputs())
      if (input.tensor == first.getResult(0))
        scores.push_back(input.element);
  // Results of the rows, and those of the second products.
  const auto rank = static_cast<int64_t>(program->space().names.size());
  const SmallVector<Destination> destinations = findDestinations(group, tileLoop);
  Tensors outputs;
  SmallVector<Value> yielded;
  for (const Destination &destination : destinations)
    for (const RowOutput &output : program->outputs())
      if (output.tensor == destination.value) {
        int64_t row = -1;
        for (auto [dim, viewDim] : llvm::zip(output.dims, destination.view.dims))
          if (dim == rank - 2)
            row = viewDim;
        outputs.add(destination.view, row, -1, index(0));
        yielded.push_back(output.element);
      }
  std::vector<BehindProduct> behindProducts;
  SmallVector<size_t> weightsOf;
  Tensors read, results;
  for (Chain::Second &second : chain.seconds) {
    behindProducts.push_back(behind(second, rank, destinations));
    read.append(behindProducts.back().inputs.tensors);
    results.append(behindProducts.back().results);
    weightsOf.push_back(llvm::find(weights, second.weights()) - weights.begin());
  }

  auto op = cpu::ChainOp::create(
      b, loc, products.m, dimension(productNames(chain.firsts[0]).rows), products.n,
      products.a.tensors, products.a.offsets, products.a.along, products.b.tensors,
      products.b.offsets, products.b.along, products.depths, products.v.tensors, products.v.offsets,
      products.v.along, products.columns, inputs.tensors, inputs.offsets, inputs.along,
      outputs.tensors, outputs.offsets, outputs.along, read.tensors, read.offsets, read.along,
      results.tensors, results.offsets, results.along, scratch,
      /*epiloguesCount=*/chain.seconds.size());
  SmallVector<Type> types(chain.firsts.size(), b.getF32Type());
  types.append(inputs.elements);
  ChainRegion(b, loc, *program, map).emit(op.getBody(), types, scores, ofRow, weightsOf, yielded);
  for (auto [own, region] : llvm::zip(behindProducts, op.getEpilogues())) {
    SmallVector<Type> behindTypes = {b.getF32Type()};
    behindTypes.append(own.inputs.tensors.elements);
    emitRegion(own.tile, region, behindTypes, own.inputs, own.destinations);
  }
  return success();
}

} // namespace mmk
