#include "place/tiled_group.h"
#include "ir/rows.h"
#include "passes/dimensions.h"
#include "passes/row_space.h"
#include "passes/variant.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;

namespace mmk {

Operation *TiledGroup::last() {
  return generic ? generic.getOperation()
         : sum   ? sum.getOperation()
                 : products.back().contract.getOperation();
}

SmallVector<Value> TiledGroup::produced() {
  SmallVector<Value> values;
  for (TiledProduct &product : products)
    values.push_back(product.result());
  if (sum)
    values.push_back(sum.getResult(0));
  return values;
}

namespace {

// The operations that earlier passes leave in a fusion group; any other would be dropped silently.
LogicalResult checkOps(ir::FusionGroupOp group) {
  WalkResult result = group.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getParentOfType<linalg::LinalgOp>() || op->getParentOfType<ir::RowsOp>() ||
        ir::isGenerated(op) || isReshape(op) ||
        isa<ir::FusionGroupOp, ir::RowsOp, ir::DimOp, ir::TileCountOp, ir::TileCoordsOp,
            ir::YieldOp, tensor::DimOp, tensor::EmptyOp, tensor::ExtractSliceOp,
            tensor::InsertSliceOp, affine::AffineApplyOp, affine::AffineMinOp, linalg::FillOp,
            linalg::BroadcastOp, linalg::GenericOp, linalg::ContractOp, linalg::ReduceOp,
            scf::ForOp, scf::IfOp, scf::YieldOp, aicore::AllocOp, aicore::PlaceOp>(op))
      return WalkResult::advance();
    bool scalar =
        op->getNumRegions() == 0 && op->getNumResults() > 0 &&
        llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); });
    if (scalar)
      return WalkResult::advance();
    op->emitOpError("has no place on the machine: not scalar, and no part of a tiled fusion group");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

scf::ForOp loopAround(Operation *op) { return dyn_cast_or_null<scf::ForOp>(op->getParentOp()); }

// A product: the loops around it, from the inside, and its initial value.
FailureOr<TiledProduct> findProduct(linalg::ContractOp contract, ArrayRef<int64_t> steps) {
  TiledProduct product;
  product.contract = contract;
  product.baseLoop = loopAround(contract);
  product.stageLoop = product.baseLoop ? loopAround(product.baseLoop) : scf::ForOp();
  if (steps.empty() || !product.stageLoop || !loopAround(product.stageLoop))
    return contract.emitOpError("is not tiled; run mmk-tile-base first");
  product.stage = steps[0];
  product.base = steps[1];
  Value start = behindPlaces(product.stageLoop.getInitArgs()[0]);
  // Of a product in splits, only the first starts from a row.
  if (auto branch = start.getDefiningOp<scf::IfOp>()) {
    product.hasBias = branch.getCondition();
    start =
        branch.thenBlock()->getTerminator()->getOperand(cast<OpResult>(start).getResultNumber());
  }
  product.bias = start.getDefiningOp<linalg::BroadcastOp>();
  return product;
}

// Whether all start from one row, or all from zero.
bool startAlike(ArrayRef<TiledProduct> products) {
  const auto rowOf = [](const TiledProduct &product) {
    Value row = product.bias ? linalg::BroadcastOp(product.bias).getInput() : Value();
    return row ? behindViews(behindPlaces(row)) : row;
  };
  return llvm::all_of(products, [&](const TiledProduct &product) {
    return !product.hasBias && rowOf(product) == rowOf(products.front());
  });
}

// All anchors of a group compute in one loop over its tiles. Around it may be the loop over panels.
LogicalResult findProducts(ir::KernelOp kernel, ir::FusionGroupOp group, TiledGroup &tile) {
  SmallVector<linalg::ContractOp> contracts;
  tile.tileLoop.walk([&](linalg::ContractOp contract) { contracts.push_back(contract); });
  const ArrayRef<int64_t> steps = group.getSteps().value_or(ArrayRef<int64_t>());
  for (auto [i, contract] : llvm::enumerate(contracts)) {
    FailureOr<TiledProduct> product =
        findProduct(contract, steps.empty() ? steps : steps.slice(2 * i, 2));
    if (failed(product))
      return failure();
    tile.products.push_back(*product);
  }
  if (tile.products.empty())
    return success();
  scf::ForOp loop = loopAround(tile.products[0].stageLoop);
  const Type element = operandType(tile.products[0].contract);
  for (TiledProduct &product : llvm::drop_begin(tile.products)) {
    // They share L0, which an emulated core widens by the type of its elements.
    if (operandType(product.contract) != element)
      return product.contract.emitOpError("multiplies ")
             << operandType(product.contract) << ", but the first product of its fusion group "
             << element;
    if (loopAround(product.stageLoop) != loop || product.stageLoop == tile.products[0].stageLoop)
      return product.contract.emitOpError(
          "expected loops of its own in the loop over tiles of its fusion group's first product");
  }
  if (tile.products.size() > 1 && startAlike(tile.products))
    tile.sharedLines = sharedLines(contracts);
  if (loop != tile.tileLoop) {
    tile.panelLoop = tile.tileLoop;
    tile.tileLoop = loop;
    if (tile.products.size() > 1)
      return tile.products[1].contract.emitOpError(
          "is a second product of a fusion group that keeps a panel of the first");
    if (std::optional<KeptPanel> panel = keptPanel(kernel))
      tile.products[0].kept = panel->operand;
  }
  return success();
}

} // namespace

FailureOr<TiledGroup> findTiledGroup(ir::KernelOp kernel, ir::FusionGroupOp group) {
  if (failed(checkOps(group)))
    return failure();
  TiledGroup tile;
  const std::optional<ArrayRef<int64_t>> extents = group.getTile();
  scf::ForOp outer;
  for (auto loop : group.getBody().front().getOps<scf::ForOp>())
    outer = loop;
  if (!extents || !outer)
    return group.emitOpError("is not tiled; run mmk-tile-cores first");
  tile.tileM = (*extents)[0];
  tile.tileN = (*extents)[1];
  tile.rank = group.getSpaceAttr() ? group.getSpaceAttr().size()
                                   : cast<RankedTensorType>(group.getResultTypes()[0]).getRank();
  tile.tileLoop = outer;
  if (failed(findProducts(kernel, group, tile)))
    return failure();
  ir::RowsOp rows = rowsOf(group);
  if (rows && rows.getParts())
    for (auto loop : tile.tileLoop.getOps<scf::ForOp>())
      tile.partLoop = loop;
  for (auto generic : tile.innermost().getOps<linalg::GenericOp>())
    tile.generic = generic;
  for (auto sum : tile.tileLoop.getOps<linalg::ReduceOp>())
    tile.sum = sum;
  if (tile.products.empty() && !tile.generic && !tile.sum && !rows)
    return group.emitOpError("has neither a product nor an elementwise operation in its tile loop");
  tile.rowsAt = static_cast<int64_t>(tile.rank) - 2;
  if (tile.products.empty() && tile.generic && !tile.sum) {
    SmallVector<StringRef> names;
    for (unsigned dim = 0; dim < tile.rank; ++dim)
      names.push_back(dimName(tile.tileLoop.getResult(0), dim));
    tile.rowsAt = elementwiseRows(names);
  }
  return tile;
}

// An operation reads tensors of the kernel, or what the products of its own group give it.
static LogicalResult expectKnownTensors(Operation *op, ArrayRef<Value> produced) {
  if (!op)
    return success();
  for (OpOperand *input : cast<linalg::LinalgOp>(op).getDpsInputOperands()) {
    Value tensor = input->get();
    tensor = behindViews(tensor);
    if (!isa<BlockArgument>(tensor) && !tensor.getDefiningOp<ir::FusionGroupOp>() &&
        !ir::isGenerated(tensor.getDefiningOp()) && !llvm::is_contained(produced, tensor))
      return op->emitOpError(
          "reads a tensor that is neither a parameter, nor of an earlier fusion group, "
          "nor a product of its own, nor generated");
  }
  return success();
}

static LogicalResult expectKnownTensors(TiledGroup &tile) {
  for (TiledProduct &product : tile.products)
    if (failed(expectKnownTensors(product.contract, {})) ||
        failed(expectKnownTensors(product.bias, {})))
      return failure();
  return success(succeeded(expectKnownTensors(tile.sum, {})) &&
                 succeeded(expectKnownTensors(tile.generic, tile.produced())));
}

static LogicalResult expectDestinations(ir::FusionGroupOp group, TiledGroup &tile) {
  for (Value filled : group.getBody().front().getTerminator()->getOperands()) {
    auto result = dyn_cast<OpResult>(filled);
    const bool isOfLoop = result && isa<scf::ForOp>(result.getOwner());
    if (!isOfLoop || !tile.innermost()
                          .getBody()
                          ->getTerminator()
                          ->getOperand(result.getResultNumber())
                          .getDefiningOp<tensor::InsertSliceOp>())
      return group.emitOpError("expected its tile loop to insert one tile of each result");
  }
  return success();
}

LogicalResult expectTensors(ir::FusionGroupOp group, TiledGroup &tile) {
  return success(succeeded(expectKnownTensors(tile)) && succeeded(expectDestinations(group, tile)));
}

TiledOperand::TiledOperand(TiledProduct &product, unsigned which) {
  linalg::ContractOp contract = product.contract;
  // L1 holds a stage of an operand, or all stages of a panel.
  scf::ForOp inner = product.kept == which ? product.stageLoop : product.baseLoop;
  inL1 = contract.getInputs()[which];
  if (auto inL0 = inL1.getDefiningOp<aicore::PlaceOp>())
    inL1 = inL0.getValue();
  while (auto slice = inL1.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (!inner->isProperAncestor(slice))
      break;
    slices.push_back(slice);
    inL1 = slice.getSource();
  }
  AffineMap along = contract.getIndexingMapsArray()[which];
  const ProductDims dims = *productDims(contract);
  transposed = along.getDimPosition(along.getNumResults() - 1) !=
               (which == 0 ? dims.reduction : dims.columns);
}

aicore::PlaceOp placeIn(Value value, aicore::Space space) {
  for (Operation *user : value.getUsers())
    if (auto place = dyn_cast<aicore::PlaceOp>(user))
      if (aicore::spaceOf(place.getBuffer()) == space)
        return place;
  return {};
}

Value behindPlaces(Value value) {
  while (auto place = value.getDefiningOp<aicore::PlaceOp>())
    value = place.getValue();
  return value;
}

aicore::Broadcast broadcastOf(AffineMap along, const TiledGroup &tile) {
  bool byRow = false, byColumn = false;
  for (AffineExpr expression : along.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expression);
    byRow |= dim && tile.rowsAt == dim.getPosition();
    byColumn |= dim && dim.getPosition() == tile.rank - 1;
  }
  return byRow && byColumn ? aicore::Broadcast::full
         : byColumn        ? aicore::Broadcast::row
         : byRow           ? aicore::Broadcast::column
                           : aicore::Broadcast::single;
}

Type elementOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

DenseMap<Value, StringRef> tensorNames(ir::KernelOp kernel) {
  DenseMap<Value, StringRef> names;
  for (auto [argument, named] :
       llvm::zip(kernel.getBody().getArguments(), kernel.getArgs().getAsRange<ir::NamedAttr>()))
    names[argument] = named.getName().getValue();
  for (auto group : kernel.getBody().getOps<ir::FusionGroupOp>()) {
    StringRef name = "acc";
    group.walk([&](Operation *op) {
      if (auto given = op->getAttrOfType<StringAttr>("mmk.name"))
        name = given.getValue();
    });
    for (Value result : group.getResults())
      names[result] = name;
  }
  const auto nameOfSource = [&](ir::WindowOp window) {
    Value source = window.getSource();
    source = behindViews(source);
    return names.lookup(source);
  };
  kernel.walk([&](Operation *op) {
    if (isa<ir::PositionsOp>(op))
      names[op->getResult(0)] = "position";
    else if (isa<ir::RandomOp>(op))
      names[op->getResult(0)] = "random";
    else if (auto window = dyn_cast<ir::WindowOp>(op))
      names[window.getResult()] = window.isOfMatrices() ? nameOfSource(window) : "window";
  });
  auto ret = cast<ir::ReturnOp>(kernel.getBody().front().getTerminator());
  for (auto [value, named] :
       llvm::zip(ret.getValues(), kernel.getResults().getAsRange<ir::NamedAttr>()))
    names[value] = names[behindReshapes(value)] = named.getName().getValue();
  return names;
}

int64_t vectorCoresOf(aicore::MachineAttr machine) {
  return machine.getTopology() == aicore::Topology::split ? machine.getVectorCores() : 1;
}

bool leavesByFixpipe(TiledGroup &group, aicore::MachineAttr machine) {
  return machine.getTopology() == aicore::Topology::split && !group.products.empty();
}

FixpipeSlopes fixpipeSlopes(Operation *op, aicore::MachineAttr machine) {
  auto kernel = op->getParentOfType<ir::KernelOp>();
  return {machine.getSlopeBits(), kernel && kernel->hasAttr("fast_math")};
}

bool productsReachUb(ir::KernelOp kernel, aicore::MachineAttr machine) {
  return machine.getTopology() == aicore::Topology::coupled ||
         (machine.cubeFillsUb() && kernel.chosenWord("through", "direct") != "global");
}

bool weightsReachL1(ir::KernelOp kernel, aicore::MachineAttr machine) {
  return machine.linkPipe("ub_l1") && kernel.chosenWord("through", "direct") == "direct";
}

int64_t requestedCopies(ir::KernelOp kernel, StringRef group, StringRef name) {
  return requestedCopies(
      [&](StringRef key, int64_t otherwise) { return kernel.chosenNumber(key, otherwise); }, group,
      name);
}

int64_t requestedCopies(Chosen chosen, StringRef group, StringRef name) {
  return chosen(("buffers." + group + "." + name).str(), chosen(("buffers." + group).str(), 1));
}

} // namespace mmk
