// Products of windows that the cube loads itself: each reads the window of its image in place of
// the copy of all windows. An image whose channels are not last, and another operand whose depth is
// not first, are copied into that order. The load gives the cube windows as its left operand alone
// (into L0B the published instruction loads pixels as the depth), so that a product whose right
// operand they are is computed transposed.
#include "backend/backend.h"
#include "passes/dimensions.h"
#include "passes/passes.h"
#include "passes/variant.h"
#include "passes/windows/copy_in_order.h"
#include "passes/windows/image_operand.h"
#include "passes/windows/transposed_product.h"

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
      // mmk-apply-variant has refused the first where it is chosen; of two windows the left is
      // read.
      if (!problemOf(copied).empty() || (copied.which == 1 && imageOperand(copied.contract)))
        continue;
      b.setInsertionPoint(copied.contract);
      read(copied);
      putDepthFirst(copied.contract);
      for (Operation *op = copied.copy; op && op->use_empty() && !isa<ir::KernelOp>(op);) {
        Operation *input = op->getOperand(0).getDefiningOp();
        op->erase(); // the copy, then its window
        op = isa_and_nonnull<ir::WindowOp>(input) ? input : nullptr;
      }
    }
    transposeLate(b, kernel);
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
    if (copied.which == 1)
      copied.contract = computeTransposed(b, copied.contract);
    putChannelsLast(*imageOperand(copied.contract));
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

  /// A copy in that order, one for all products that read it.
  Value inOrder(Value tensor, ArrayRef<int64_t> order) {
    Value behind = tensor;
    // The merged dimensions of a parameter are merged for each of its products.
    auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>();
    if (collapse)
      behind = collapse.getSrc();
    const Attribute pieces = collapse ? collapse.getReassociation() : Attribute();
    for (const Copy &known : copies)
      if (known.behind == behind && known.pieces == pieces && known.order == order)
        return known.copy;
    Value copy = copyInOrder(b, tensor, order);
    copies.push_back({behind, pieces, llvm::to_vector(order), copy});
    return copy;
  }

  /// The right operand with its depth outside of its columns.
  void putDepthFirst(linalg::ContractOp contract) {
    constexpr unsigned which = 1;
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

  struct Copy {
    Value behind;     ///< the tensor, before dimensions of it were merged
    Attribute pieces; ///< as which they were; null: none
    SmallVector<int64_t> order;
    Value copy;
  };

  ir::KernelOp kernel;
  OpBuilder b;
  SmallVector<Copy> copies; ///< in the order of the block
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
