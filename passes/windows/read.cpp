// Products of windows that the cube loads itself: each reads the window of its image in place of
// the copy of all windows. An image whose channels are not last, and another operand whose depth is
// not first, are copied into that order.
#include "backend/backend.h"
#include "passes/dimensions.h"
#include "passes/passes.h"
#include "passes/variant.h"
#include "passes/windows/image_operand.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_READWINDOWS
#include "passes/Passes.h.inc"

namespace {

class WindowReader {
public:
  explicit WindowReader(ir::KernelOp kernel) : kernel(kernel), b(kernel.getContext()) {}

  void run() {
    for (CopiedWindow &copied : copiedWindows(kernel)) {
      if (!problemOf(copied).empty())
        continue; // mmk-apply-variant has refused it where it is chosen
      b.setInsertionPoint(copied.contract);
      read(copied);
      putDepthFirst(copied.contract, 1 - copied.which);
      for (Operation *op = copied.copy; op && op->use_empty() && !isa<ir::KernelOp>(op);) {
        Operation *input = op->getOperand(0).getDefiningOp();
        op->erase(); // the copy, then its window
        op = isa_and_nonnull<ir::WindowOp>(input) ? input : nullptr;
      }
    }
  }

private:
  void read(CopiedWindow &copied) {
    auto collapse =
        copied.contract.getInputs()[copied.which].getDefiningOp<tensor::CollapseShapeOp>();
    ir::WindowOp window = inOrderOfCopy(b, copied.copy);
    IRMapping map;
    map.map(collapse.getSrc(), window.getResult());
    Value collapsed = b.clone(*collapse, map)->getResult(0);
    copied.contract.getInputsMutable()[copied.which].assign(collapsed);
    if (collapse->use_empty())
      collapse.erase();
    putChannelsLast(*imageOperand(copied.contract, copied.which));
  }

  /// A tensor with its dimensions in another order: result dimension i is `order[i]`.
  Value inOrder(Value tensor, ArrayRef<int64_t> order) {
    auto type = cast<RankedTensorType>(tensor.getType());
    const Location loc = tensor.getLoc();
    SmallVector<Value> extents;
    SmallVector<AffineExpr> from(order.size());
    for (auto [i, dim] : llvm::enumerate(order)) {
      extents.push_back(dimValue(b, loc, dimName(tensor, dim)));
      from[dim] = b.getAffineDimExpr(i);
    }
    const SmallVector<int64_t> shape(order.size(), ShapedType::kDynamic);
    Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType(), extents);
    const SmallVector<AffineMap> maps = {AffineMap::get(order.size(), 0, from, b.getContext()),
                                         b.getMultiDimIdentityMap(order.size())};
    const SmallVector<utils::IteratorType> loops(order.size(), utils::IteratorType::parallel);
    return linalg::GenericOp::create(b, loc, empty.getType(), tensor, empty, maps, loops,
                                     [](OpBuilder &builder, Location at, ValueRange elements) {
                                       linalg::YieldOp::create(builder, at, elements[0]);
                                     })
        .getResult(0);
  }

  void putChannelsLast(ImageOperand image) {
    if (image.isChannelsLast())
      return;
    ir::WindowOp window = image.window;
    const auto rank = cast<RankedTensorType>(window.getSource().getType()).getRank();
    SmallVector<int64_t> last, order;
    if (image.lines.source)
      last.push_back(*image.lines.source);
    last.append({*image.columns.source, image.channelSource});
    for (int64_t dim = 0; dim < rank; ++dim)
      if (!llvm::is_contained(last, dim))
        order.push_back(dim);
    order.append(last);
    SmallVector<AffineExpr> indices;
    for (int64_t dim : order)
      indices.push_back(window.getMap().getResult(dim));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(window);
    window.getSourceMutable().assign(inOrder(window.getSource(), order));
    window.setMap(AffineMap::get(window.getMap().getNumDims(), 0, indices, b.getContext()));
  }

  /// The operand with its depth outside of the other dimension of its matrices.
  void putDepthFirst(linalg::ContractOp contract, unsigned which) {
    Value tensor = contract.getInputs()[which];
    SmallVector<AffineMap> maps = contract.getIndexingMapsArray();
    const ProductDims dims = *productDims(contract);
    const int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    if (maps[which].getDimPosition(rank - 1) != dims.reduction)
      return;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank));
    std::swap(order[rank - 2], order[rank - 1]);
    contract.getInputsMutable()[which].assign(inOrder(tensor, order));
    SmallVector<AffineExpr> along(maps[which].getResults());
    std::swap(along[rank - 2], along[rank - 1]);
    maps[which] = AffineMap::get(maps[which].getNumDims(), 0, along, b.getContext());
    contract.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  }

  ir::KernelOp kernel;
  OpBuilder b;
};

struct ReadWindowsPass : impl::ReadWindowsBase<ReadWindowsPass> {
  void runOnOperation() override {
    aicore::MachineAttr machine = expectMachine(getOperation());
    if (!machine)
      return signalPassFailure();
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>())
      if (backendOf(machine).hasPipes() && kernel.chosenWord("window", "unfolded") != "unfolded")
        WindowReader(kernel).run();
  }
};

} // namespace
} // namespace mmk
