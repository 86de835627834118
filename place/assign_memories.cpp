#include "place/assign_memories.h"
#include "ir/diagnostic_code.h"
#include "passes/dimensions.h"
#include "passes/row_space.h"
#include "passes/variant.h"
#include "passes/windows/image_operand.h"
#include "place/chain_rows.h"
#include "place/passes.h"

#include "mlir/Analysis/SliceAnalysis.h"

#include <numeric>

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_ASSIGNMEMORIES
#include "place/Passes.h.inc"

using aicore::Space;

aicore::AllocOp MemoryAssignment::alloc(StringRef name, StringRef group, Space space, int64_t rows,
                                        int64_t columns, Type element, Location where) {
  OpBuilder::InsertionGuard guard(b);
  b.restoreInsertionPoint(allocs);
  auto type = MemRefType::get({rows, columns}, element, MemRefLayoutAttrInterface(),
                              aicore::SpaceAttr::get(b.getContext(), space));
  auto buffer = aicore::AllocOp::create(b, where, type, name, group, 1, /*parts=*/1, IntegerAttr());
  allocs = b.saveInsertionPoint();
  return buffer;
}

Value MemoryAssignment::place(Value value, Value buffer) {
  return aicore::PlaceOp::create(b, value.getLoc(), value.getType(), value, buffer);
}

StringRef MemoryAssignment::nameOf(Value tensor) {
  tensor = behindViews(tensor);
  StringRef name = names.lookup(tensor);
  return name.empty() ? "value" : name;
}

Location MemoryAssignment::placeOf(StringRef directive, Location otherwise) {
  ir::ChoiceOp choice = kernel.choice(directive);
  return choice ? choice.getLoc() : otherwise;
}

//===--- the product of a tile ------------------------------------------------------------===//

ProductSizes MemoryAssignment::sizesOf(const TiledGroup &tile, const TiledProduct &product) {
  ProductSizes sizes;
  sizes.rows = tile.tileM;
  sizes.columns = tile.tileN;
  sizes.depth = product.base;
  sizes.stage = product.stage;
  sizes.keepsA = product.kept == 0u;
  sizes.keepsB = product.kept == 1u;
  if (product.kept)
    sizes.panelDepth = keptPanel(kernel)->depth;
  return sizes;
}

LogicalResult MemoryAssignment::placeProduct(TiledGroup &tile, size_t number, L0Rings &rings) {
  TiledProduct &product = tile.products[number];
  linalg::ContractOp contract = product.contract;
  Type element = operandType(contract);
  const ProductNames dims = productNames(contract);
  std::string m = ("tile." + dims.rows).str(), n = ("tile." + dims.columns).str();
  std::string k = ("tile." + dims.reduction).str(), ks = ("stage." + dims.reduction).str();
  Location where = contract.getLoc();
  Location stageLoc = placeOf(ks, placeOf(k, where));

  const ProductSizes sizes = sizesOf(tile, product);
  Value l1[2], l0[2];
  for (unsigned which = 0; which < 2; ++which) {
    const TiledOperand operand(product, which);
    const bool stays = product.kept == which;
    const auto [outer, depth] = sizes.heldInL1(which, machine);
    if (which == 0 && imageOperand(contract))
      continue; // takes the room that the others leave
    if (tile.sharedLines && number > 0)
      continue; // those of the first
    const bool depthFirst = (which == 0) == operand.transposed;
    l1[which] = alloc(nameOf(contract.getInputs()[which]), stays ? "panel" : "l1", Space::l1,
                      depthFirst ? depth : outer, depthFirst ? outer : depth, element,
                      stays ? placeOf("keep", stageLoc) : stageLoc);
  }
  // Products of a group follow each other on the cube, so those of the same base tile share L0.
  auto ring = [&](unsigned which, Space space, int64_t rows, int64_t columns, StringRef directive) {
    for (Value known : rings) {
      auto type = cast<MemRefType>(known.getType());
      if (aicore::spaceOf(known) == space && type.getShape() == ArrayRef{rows, columns} &&
          type.getElementType() == element)
        return known;
    }
    rings.push_back(alloc(nameOf(contract.getInputs()[which]), "l0", space, rows, columns, element,
                          placeOf(directive, where)));
    return rings.back();
  };
  l0[0] = ring(0, Space::l0a, tile.tileM, product.base, m);
  l0[1] = ring(1, Space::l0b, product.base, tile.tileN, n);
  aicore::AllocOp acc = alloc(productName(number), "acc", Space::l0c, tile.tileM, tile.tileN,
                              elementOf(contract.getResult(0)), placeOf(m, where));
  accs.push_back(acc);
  if (product.bias)
    placeBias(tile, product);
  if (tile.sharedLines && number > 0)
    std::copy(sharedL1.begin(), sharedL1.end(), l1);
  else if (imageOperand(contract) && failed(placeImage(tile, product, l1[0])))
    return failure();
  std::copy(l1, l1 + 2, sharedL1.begin());
  if (kernel.chosenWord("store", "after") == "overlapped") {
    if (tile.products.size() > 1)
      return kernel.choice("store").emitError()
             << "store = overlapped drains one product in parts, but a fusion group has "
             << tile.products.size() << "; nearest legal: store = after";
    acc.setParts(2);
  }
  for (unsigned which = 0; which < 2; ++which)
    if (failed(placeOperand(tile, product, which, l1[which], l0[which])))
      return failure();
  // Values outside of the loop over stages are not moved.
  b.setInsertionPoint(product.stageLoop);
  product.stageLoop.getInitArgsMutable()[0].assign(place(product.stageLoop.getInitArgs()[0], acc));
  return success();
}

// The offsets of a panel's slice may be in the loop over its tiles.
static LogicalResult moveBefore(scf::ForOp loop, Value value) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  llvm::SetVector<Operation *> slice;
  if (failed(getBackwardSlice(value, &slice, options)))
    return failure();
  for (Operation *op : slice) {
    if (llvm::is_contained(op->getOperands(), loop.getInductionVar()))
      return op->emitOpError("is of a panel that is kept, but differs from tile to tile");
    op->moveBefore(loop);
  }
  return success();
}

LogicalResult MemoryAssignment::placeOperand(TiledGroup &tile, TiledProduct &product,
                                             unsigned which, Value inL1, Value inL0) {
  linalg::ContractOp contract = product.contract;
  const TiledOperand operand(product, which);
  if (product.kept == which) {
    if (failed(moveBefore(tile.tileLoop, operand.inL1)))
      return failure();
    b.setInsertionPoint(tile.tileLoop);
  } else {
    b.setInsertionPoint(product.baseLoop);
  }
  Value value = place(operand.inL1, inL1);
  for (tensor::ExtractSliceOp slice : llvm::reverse(operand.slices)) {
    // The other operand may be sliced by the same operation.
    b.setInsertionPoint(slice);
    IRMapping map;
    map.map(slice.getSource(), value);
    value = b.clone(*slice, map)->getResult(0);
  }
  b.setInsertionPoint(contract);
  contract.getInputsMutable()[which].assign(place(value, inL0));
  for (tensor::ExtractSliceOp slice : operand.slices)
    if (slice->use_empty())
      slice.erase();
  return success();
}

// As many pixels of an image, with the channels of a stage, as L1 has room for.
LogicalResult MemoryAssignment::placeImage(TiledGroup &tile, TiledProduct &product, Value &inL1) {
  linalg::ContractOp contract = product.contract;
  const Type element = operandType(contract);
  ir::ChoiceOp choice = kernel.choice("window");
  if (tile.products.size() > 1 && !tile.sharedLines)
    return choice.emitError()
           << "window = direct loads windows for one product, or for several of one image and one "
           << "matrix, but a fusion group has " << tile.products.size()
           << " others; legal: unfolded";
  ImageOperand image = *imageOperand(contract);
  StringRef name = nameOf(image.window.getSource());
  const int64_t padding = std::lcm(machine.padding(), channelsOfBlock(element)),
                columns = llvm::alignTo(*directChannels(kernel, element), padding),
                copies = requestedCopies(kernel, "l1", name),
                alignment = machine.alignment(Space::l1);
  int64_t room = machine.capacity(Space::l1);
  for (auto other : tile.tileLoop->getBlock()->getOps<aicore::AllocOp>())
    if (other.getSpace() == Space::l1)
      room -= llvm::alignTo(other.getBytes(), alignment) *
              requestedCopies(kernel, other.getGroup(), other.getName());
  const int64_t bytes = columns * element.getIntOrFloatBitWidth() / 8 * copies,
                pixels = room / bytes / padding * padding;
  if (pixels <= 0)
    return nearestLegal(choice.emitError()
                        << "window = direct leaves no room in L1 for lines of the image; nearest "
                        << "legal: shorter stages or tiles, window = unfolded");
  inL1 = alloc(name, "l1", Space::l1, pixels, columns, element, choice.getLoc());
  return success();
}

// The row that a product starts from is held in L1 like any operand, and then in the bias table.
void MemoryAssignment::placeBias(TiledGroup &tile, TiledProduct &product) {
  linalg::BroadcastOp bias = product.bias;
  Value row = bias.getInput();
  Location where = placeOf("bias", product.contract.getLoc());
  const bool isShared = tile.sharedLines && sharedBias[0];
  if (!isShared)
    sharedBias = {alloc(nameOf(row), "l1", Space::l1, 1, tile.tileN, elementOf(row), where),
                  alloc(nameOf(row), "bt", Space::bt, 1, tile.tileN, elementOf(row), where)};
  b.setInsertionPoint(bias);
  bias.getInputMutable().assign(place(place(row, sharedBias[0]), sharedBias[1]));
}

//===--- fusion groups
//----------------------------------------------------------------------------===//

LogicalResult MemoryAssignment::assign(ir::FusionGroupOp group) {
  // The buffers of a chain follow from the order of its steps; aicore-insert-transfers knows it.
  if (chainOf(group))
    return success();
  FailureOr<TiledGroup> tile = findTiledGroup(kernel, group);
  if (failed(tile))
    return failure();
  // The tiles of a row group follow from the order of its steps; aicore-insert-transfers knows it.
  const bool isOfRows = group.getSpaceAttr() != nullptr;
  if (isOfRows && tile->products.empty())
    return success();
  if (!isOfRows && failed(expectTensors(group, *tile)))
    return failure();
  allocs = OpBuilder::InsertPoint(&group.getBody().front(), group.getBody().front().begin());
  accs.clear();
  sharedBias = {};
  L0Rings rings;
  for (size_t number = 0; number < tile->products.size(); ++number)
    if (failed(placeProduct(*tile, number, rings)))
      return failure();
  if (isOfRows)
    return placeRows(group, *tile);
  placeVectorValues(*tile);
  return success();
}

// The rows of a product are reduced out of the block's global memory, unless they go straight to
// UB. Of a split chip the cube core sends whole rows there.
LogicalResult MemoryAssignment::placeRows(ir::FusionGroupOp group, TiledGroup &tile) {
  if (accs[0].getParts() > 1)
    return kernel.choice("store").emitError()
           << "store = overlapped drains a product in parts of its columns, but fuse = rows "
              "reduces "
              "whole rows of it; nearest legal: store = after, fuse = all";
  const bool isOfRows = planeOf(RowSpace(group)).reducesColumns;
  if (productsReachUb(kernel, machine) && (isOfRows || !leavesByFixpipe(tile, machine)))
    return success();
  for (auto [number, product] : llvm::enumerate(tile.produced())) {
    Value spilled = alloc(productName(number), "out", Space::gm, tile.tileM, tile.tileN,
                          elementOf(product), tile.last()->getLoc());
    b.setInsertionPointAfter(product.getDefiningOp());
    Value held = place(product, spilled);
    product.replaceAllUsesExcept(held, held.getDefiningOp());
  }
  return success();
}

LogicalResult MemoryAssignment::run() {
  if (failed(checkDims(kernel)) || failed(checkGroups(kernel)))
    return failure();
  Operation *ret = kernel.getBody().front().getTerminator();
  for (Value value : ret->getOperands())
    if (!behindReshapes(value).getDefiningOp<ir::FusionGroupOp>())
      return ret->emitOpError("expected each result to come from a mmk.fusion_group");
  for (auto group : kernel.getBody().getOps<ir::FusionGroupOp>())
    if (failed(assign(group)))
      return failure();
  return success();
}

namespace {

struct AssignMemoriesPass : impl::AssignMemoriesBase<AssignMemoriesPass> {
  void runOnOperation() override {
    aicore::MachineAttr machine = expectMachine(getOperation());
    if (!machine)
      return signalPassFailure();
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>())
      if (failed(MemoryAssignment(kernel, machine).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace mmk
