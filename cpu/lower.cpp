// cpu-lower: lowers a tile, with everything between the tensors that it reads and those that it
// writes, to one operation.
#include "cpu/lower.h"

#include "cpu/passes.h"
#include "passes/conditions/product_depth.h"
#include "passes/dimensions.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_CPULOWER
#include "cpu/Passes.h.inc"

using aicore::Space;

CpuLowering::TileInputs CpuLowering::inputsOf(Tile &tile) {
  TileInputs inputs;
  const SmallVector<Value> products = tile.produced();
  Value zero = index(0);
  if (!tile.generic)
    return inputs;
  for (OpOperand *operand : tile.generic.getDpsInputOperands()) {
    if (llvm::is_contained(products, operand->get()))
      continue;
    GlobalView view = viewOf(operand->get());
    AffineMap map = tile.generic.getMatchingIndexingMap(operand);
    int64_t rowDim = -1, columnDim = -1;
    for (auto [i, expression] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expression);
      if (dim && dim.getPosition() == tile.rank - 1)
        columnDim = view.dims[i];
      else if (dim && tile.rowsAt == dim.getPosition())
        rowDim = view.dims[i];
    }
    if (view.generated)
      inputs.generated[operand->getOperandNumber()] =
          generatedInput(view, {rowDim, columnDim}, inputs.tensors);
    else
      inputs.tensors.add(view, rowDim, columnDim, zero);
  }
  return inputs;
}

Tensors CpuLowering::outputsOf(const Tile &tile, ArrayRef<Destination> destinations) {
  Tensors outputs;
  for (const Destination &destination : destinations)
    outputs.add(destination.view,
                tile.rowsAt >= 0 ? int64_t(destination.view.dims[tile.rowsAt]) : -1,
                destination.view.dims[tile.rank - 1], index(0));
  return outputs;
}

void CpuLowering::emitRegion(Tile &tile, Region &region, ArrayRef<Type> elements,
                             const TileInputs &inputs, ArrayRef<Destination> destinations) {
  const SmallVector<Value> products = tile.produced();
  Value product = products.empty() ? Value() : products[0];
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&region, {}, elements, SmallVector<Location>(elements.size(), loc));
  Value sum = product ? body->getArgument(0) : Value();
  // Starts at zero, as the reduction does: a sum of negative zeros is a positive zero.
  if (tile.sum && isa<FloatType>(sum.getType()))
    sum = arith::AddFOp::create(b, loc, sum,
                                arith::ConstantOp::create(b, loc, b.getZeroAttr(sum.getType())));
  IRMapping scalars = map;
  if (tile.generic) {
    Block *from = tile.generic.getBody();
    const unsigned first = product ? 1 : 0;
    unsigned next = first;
    for (OpOperand *operand : tile.generic.getDpsInputOperands()) {
      BlockArgument element = from->getArgument(operand->getOperandNumber());
      auto generated = inputs.generated.find(operand->getOperandNumber());
      if (product && operand->get() == product) {
        scalars.map(element, sum);
      } else if (generated == inputs.generated.end()) {
        scalars.map(element, body->getArgument(next++));
      } else {
        scalars.map(element, emitGenerated(b, loc, generated->second, *body, first));
        next += isa<ir::WindowOp>(generated->second.op) ? 1 : 0;
      }
    }
    for (Operation &inner : from->without_terminator())
      b.clone(inner, scalars);
  }
  SmallVector<Value> yielded;
  for (const Destination &destination : destinations) {
    if (product && destination.value == product) {
      yielded.push_back(sum);
      continue;
    }
    Value value = tile.generic.getBody()->getTerminator()->getOperand(
        cast<OpResult>(destination.value).getResultNumber());
    yielded.push_back(scalars.lookupOrDefault(value));
  }
  cpu::YieldOp::create(b, loc, yielded);
}

//===--- products -------------------------------------------------------------------------===//

// One copy: the CPU has hardware prefetchers.
aicore::AllocOp CpuLowering::alloc(StringRef name, Space space, int64_t rows, int64_t columns,
                                   Type element, Location where) {
  auto type = MemRefType::get({rows, columns}, element, MemRefLayoutAttrInterface(),
                              aicore::SpaceAttr::get(b.getContext(), space));
  return aicore::AllocOp::create(b, where, type, name, "scratch", 1, /*parts=*/1, IntegerAttr());
}

StringRef CpuLowering::nameOf(Value tensor) {
  tensor = behindViews(tensor);
  StringRef name = names.lookup(tensor);
  return name.empty() ? "value" : name;
}

Location CpuLowering::placeOf(StringRef directive, Location otherwise) {
  ir::ChoiceOp choice = kernel.choice(directive);
  return choice ? choice.getLoc() : otherwise;
}

CpuLowering::Scratch CpuLowering::allocateScratch(const Tile &tile) {
  linalg::ContractOp contract = tile.products[0].contract;
  const int64_t stage = tile.products[0].stage;
  Type element = operandType(contract);
  Type accumulator = cast<RankedTensorType>(contract.getResult(0).getType()).getElementType();
  const ProductNames dims = productNames(contract);
  Location where = contract.getLoc();
  Location ofM = placeOf(("tile." + dims.rows).str(), where);
  Location ofN = placeOf(("tile." + dims.columns).str(), where);
  const int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  // A tile is the share of one thread: it is computed in blocks that fit the scratch and the
  // caches.
  auto atMost = [](int64_t wanted, int64_t most) {
    return std::max<int64_t>(16, std::min(wanted, most / 16 * 16));
  };
  const int64_t columns = atMost(tile.tileN, machine.capacity(Space::l0b) / bytes / stage);
  const int64_t sums = tile.tileN + tuning.scratchPadding;
  const int64_t rows = atMost(tile.tileM, machine.capacity(Space::l0c) / 4 / sums);
  // Sums between two passes wait here, of whole rows of a block.
  const int64_t waiting = tuning.rowsOfWaitingSums * tuning.columnsOfWaitingSums;
  Scratch all;
  all.a = alloc(nameOf(contract.getInputs()[0]), Space::l0a, tuning.scratchRows,
                stage + 2 * tuning.scratchPadding, element, ofM);
  all.b = alloc(nameOf(contract.getInputs()[1]), Space::l0b, stage, columns, element, ofN);
  all.sums = alloc("acc", Space::l0c, rows, std::max(sums, llvm::divideCeilSigned(waiting, rows)),
                   accumulator, ofM);
  return all;
}

Value CpuLowering::wholeOperand(const Tile &tile, unsigned which) {
  linalg::ContractOp contract = tile.products[0].contract;
  scf::ForOp stages = TiledProduct(tile.products[0]).stageLoop;
  Value tensor = contract.getInputs()[which];
  while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (!stages->isProperAncestor(slice))
      break;
    tensor = slice.getSource();
  }
  return tensor;
}

Tensors CpuLowering::operandOf(const Tile &tile, unsigned which) {
  return operandOf(tile.products[0].contract, which, wholeOperand(tile, which));
}

/// An operand of a product as `tensor`, which is all of it or more.
Tensors CpuLowering::operandOf(linalg::ContractOp contract, unsigned which, Value tensor) {
  const GlobalView view = matrixOf(tensor);
  const size_t rank = view.dims.size();
  int64_t rows = view.dims[rank - 2], columns = view.dims[rank - 1];
  AffineMap map = contract.getIndexingMapsArray()[which];
  const ProductDims dims = *productDims(contract);
  if (map.getDimPosition(map.getNumResults() - 1) != (which == 0 ? dims.reduction : dims.columns))
    std::swap(rows, columns);
  Tensors operand;
  operand.add(view, rows, columns, index(0));
  return operand;
}

/// The depth of a bounded product, 0 where that operand begins behind its tensor. It begins at its
/// first element then.
Value CpuLowering::withoutOperandBehind(const Tile &tile, unsigned which, Tensors &operand,
                                        Value depth) {
  Value tensor = wholeOperand(tile, which);
  const GlobalView view = matrixOf(tensor);
  const unsigned rows = view.dims.size() - 2;
  Value &offset = operand.offsets[view.dims[rows]];
  Value isBehind = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, offset,
                                         extentOf(behindSlices(tensor), rows));
  offset = arith::SelectOp::create(b, loc, isBehind, index(0), offset);
  return arith::SelectOp::create(b, loc, isBehind, index(0), depth);
}

void CpuLowering::emitProduct(Tile &tile, const Scratch &scratch,
                              ArrayRef<Destination> destinations) {
  const int64_t stage = tile.products[0].stage;
  WindowRead window;
  auto operand = [&](unsigned which) {
    Value tensor = wholeOperand(tile, which);
    if (!unfoldedWindow(tensor))
      return operandOf(tile, which);
    window = readWindow(tile.products[0].contract, which, tensor);
    return window.operand;
  };
  Tensors left = operand(0), right = operand(1);
  Value depth = map.lookup(tile.products[0].stageLoop.getUpperBound());
  const std::optional<unsigned> bounded = boundedOperand(tile.products[0].contract);
  if (bounded)
    depth = withoutOperandBehind(tile, *bounded, *bounded == 0 ? left : right, depth);
  const TileInputs read = inputsOf(tile);
  const Tensors &inputs = read.tensors, outputs = outputsOf(tile, destinations);
  auto op = cpu::ProductOp::create(
      b, loc, left.tensors[0], left.offsets, left.along, right.tensors[0], right.offsets,
      right.along, tile.rows, tile.columns, depth, stage, inputs.tensors, inputs.offsets,
      inputs.along, outputs.tensors, outputs.offsets, outputs.along, scratch.a, scratch.b,
      scratch.sums, window.operands, window.map ? AffineMapAttr::get(window.map) : AffineMapAttr(),
      window.map ? b.getDenseI64ArrayAttr(window.digits) : DenseI64ArrayAttr());
  if (bounded)
    op->setAttr(boundedAttr, b.getI64IntegerAttr(*bounded));
  SmallVector<Type> elements = {
      cast<RankedTensorType>(tile.products[0].result().getType()).getElementType()};
  elements.append(inputs.elements);
  emitRegion(tile, op.getBody(), elements, read, destinations);
}

//===--- elementwise ----------------------------------------------------------------------===//

cpu::ElementwiseOp CpuLowering::emitOp(const Tile &tile, const Tensors &inputs,
                                       const Tensors &outputs) {
  return cpu::ElementwiseOp::create(b, loc, tile.rows, tile.columns, inputs.tensors, inputs.offsets,
                                    inputs.along, outputs.tensors, outputs.offsets, outputs.along);
}

GlobalView CpuLowering::emitSum(Tile &tile) {
  Value splits = tile.sum.getInputs()[0];
  const GlobalView first = viewOf(splits);
  const unsigned rank = first.dims.size(), rows = first.dims[rank - 2],
                 columns = first.dims[rank - 1];
  Value zero = index(0), one = index(1);
  auto loop = scf::ForOp::create(b, loc, one, extentOf(splits, 0), one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  GlobalView split = first;
  Value &offset = split.offsets[split.dims[0]];
  offset = add(offset, loop.getInductionVar());
  Tensors inputs, outputs;
  outputs.add(first, rows, columns, zero);
  inputs.add(first, rows, columns, zero);
  inputs.add(split, rows, columns, zero);
  cpu::ElementwiseOp op = emitOp(tile, inputs, outputs);
  Block *body = b.createBlock(&op.getBody(), {}, inputs.elements, {loc, loc});
  Value x = body->getArgument(0), y = body->getArgument(1);
  Value sum = isa<FloatType>(x.getType()) ? arith::AddFOp::create(b, loc, x, y).getResult()
                                          : arith::AddIOp::create(b, loc, x, y).getResult();
  cpu::YieldOp::create(b, loc, sum);
  return first;
}

void CpuLowering::emitElementwise(Tile &tile, ArrayRef<Destination> destinations) {
  Tensors inputs;
  if (tile.sum) {
    const GlobalView sum = emitSum(tile);
    const unsigned rank = sum.dims.size();
    inputs.add(sum, sum.dims[rank - 2], sum.dims[rank - 1], index(0));
  }
  const TileInputs read = inputsOf(tile);
  const Tensors outputs = outputsOf(tile, destinations);
  inputs.append(read.tensors);
  cpu::ElementwiseOp op = emitOp(tile, inputs, outputs);
  emitRegion(tile, op.getBody(), inputs.elements, read, destinations);
}

LogicalResult CpuLowering::emitGroup(ir::FusionGroupOp group) {
  if (group.getSpaceAttr())
    return emitRows(group);
  if (unfoldedWindow(group.getResult(0)))
    return success();
  FailureOr<TiledGroup> found = findTiledGroup(kernel, group);
  if (failed(found) || failed(expectTensors(group, *found)))
    return failure();
  if (found->products.size() > 1)
    return found->products[1].contract.emitOpError(
        "is a second product of its fusion group; a CPU computes one");
  Tile tile;
  static_cast<TiledGroup &>(tile) = *found;
  startPhase(group);
  Scratch scratch;
  if (!tile.products.empty())
    scratch = allocateScratch(tile);
  emitScalars(group);
  emitLoop(tile.tileLoop);
  const SmallVector<Destination> destinations =
      findDestinations(group, tile, tile.rows, tile.columns);
  loc = tile.last()->getLoc();
  if (!tile.products.empty())
    emitProduct(tile, scratch, destinations);
  else
    emitElementwise(tile, destinations);
  return success();
}

namespace {

struct CpuLowerPass : impl::CpuLowerBase<CpuLowerPass> {
  void runOnOperation() override {
    aicore::MachineAttr machine = expectMachine(getOperation());
    if (!machine)
      return signalPassFailure();
    for (ir::KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<ir::KernelOp>()))
      if (failed(CpuLowering(kernel, machine).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace mmk
