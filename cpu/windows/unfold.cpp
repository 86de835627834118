// Windows that products read: a group that writes the matrix of a window, for products alone, is
// not computed. They read the window themselves, while they pack it.
#include "cpu/lower.h"
#include "cpu/windows/operand.h"
#include "passes/dimensions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk {
namespace {

/// Whether a dimension of the matrix is of extent 1.
bool isUnit(ir::FusionGroupOp group, int64_t dim) {
  return dimName(group.getResult(0), dim) == "1";
}

/// Whether the dimensions of what a group copies that the copy does not read are of extent 1.
bool hasUnitsBesides(ir::FusionGroupOp group, AffineMap read) {
  return llvm::all_of(llvm::seq(read.getNumDims()), [&](unsigned dim) {
    return read.isFunctionOfDim(dim) || isUnit(group, dim);
  });
}

/// The window whose elements the group copies, and nothing else.
linalg::GenericOp copyOfWindow(ir::FusionGroupOp group, ir::WindowOp &window) {
  linalg::GenericOp copy;
  bool isAlone = group.getNumResults() == 1 && !group.getSpaceAttr();
  group.walk([&](linalg::LinalgOp op) {
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    isAlone &= generic && !copy;
    copy = generic;
  });
  if (!isAlone || !copy || copy.getNumDpsInputs() != 1 || copy.getNumResults() != 1)
    return {};
  Value input = copy.getDpsInputOperand(0)->get();
  while (auto slice = input.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (slice.getDroppedDims().any())
      return {};
    input = slice.getSource();
  }
  window = input.getDefiningOp<ir::WindowOp>();
  const bool copies =
      copy.getBody()->getTerminator()->getOperand(0) == copy.getBody()->getArgument(0);
  // The copy may have more dimensions, which are then of extent 1.
  const AffineMap read = copy.getIndexingMapsArray()[0];
  const bool isWhole = read.isProjectedPermutation() && hasUnitsBesides(group, read) &&
                       copy.getIndexingMapsArray()[1].isIdentity();
  return window && copies && isWhole ? copy : linalg::GenericOp();
}

/// Whether a tensor is in memory with its dimensions as they are.
bool isInMemoryAsItIs(Value tensor) {
  return isa<BlockArgument>(tensor) || isa_and_nonnull<ir::FusionGroupOp>(tensor.getDefiningOp());
}

bool isOfWindow(Value tensor) {
  auto group = behindViews(tensor).getDefiningOp<ir::FusionGroupOp>();
  ir::WindowOp window;
  return group && copyOfWindow(group, window);
}

/// Whether each variable that is an index alone has the range of the dimension, so that it is never
/// in the padding.
bool hasRangesOfSource(ir::WindowOp window) {
  for (auto [i, index] : llvm::enumerate(window.getMap().getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(index);
        dim && cast<StringAttr>(window.getDims()[dim.getPosition()]).getValue() !=
                   dimName(window.getSource(), i))
      return false;
  return true;
}

/// Calls `body` with each use of a tensor behind its views; false where it returned false.
bool allUses(Value tensor, llvm::function_ref<bool(OpOperand &)> body) {
  return llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tensor::CollapseShapeOp, tensor::ExtractSliceOp>(user))
      return allUses(user->getResult(0), body);
    // An extent is that of a dimension with a name.
    return isa<tensor::DimOp>(user) || body(use);
  });
}

/// The dimensions of a tensor that are one of its view's.
SmallVector<int64_t> pieceOf(Value tensor, unsigned dim) {
  for (Operation *op = tensor.getDefiningOp(); op && !isa<ir::FusionGroupOp>(op);
       op = op->getOperand(0).getDefiningOp())
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      for (const ReassociationIndices &piece : collapse.getReassociationIndices())
        if (piece.back() == static_cast<int64_t>(dim))
          return SmallVector<int64_t>(piece.begin(), piece.end());
  return {static_cast<int64_t>(dim)};
}

/// The dimensions of the window's tensor along the rows and along the columns of an operand. Of
/// those that are one of its view's, the ones of extent 1 are left out: the index is 0.
struct MatrixDims {
  SmallVector<int64_t> rows, columns;
  int64_t lastRow, lastColumn; ///< that have the offsets of the view
  SmallVector<int64_t> both() const {
    SmallVector<int64_t> all = rows;
    all.append(columns);
    return all;
  }
};

/// The indices of the source by the digits of rows and columns; other dimensions are symbols behind
/// those of the window.
AffineMap mapOf(ir::WindowOp window, linalg::GenericOp copy, const MatrixDims &dims) {
  MLIRContext *context = window.getContext();
  const AffineMap read = copy.getIndexingMapsArray()[0];
  const SmallVector<int64_t> digits = dims.both();
  unsigned symbols = window.getMap().getNumSymbols();
  SmallVector<AffineExpr> ofLoops;
  for (unsigned loop = 0; loop < read.getNumDims(); ++loop) {
    const auto at = llvm::find(digits, static_cast<int64_t>(loop));
    ofLoops.push_back(at == digits.end() ? getAffineSymbolExpr(symbols++, context)
                                         : getAffineDimExpr(at - digits.begin(), context));
  }
  SmallVector<AffineExpr> ofWindow;
  for (AffineExpr place : read.getResults())
    ofWindow.push_back(ofLoops[cast<AffineDimExpr>(place).getPosition()]);
  return window.getMap().replaceDimsAndSymbols(ofWindow, {}, digits.size(), symbols);
}

/// The matrix dimensions of a view in the order of the operand's rows and columns.
MatrixDims dimsOf(linalg::ContractOp contract, unsigned which, Value tensor,
                  ArrayRef<unsigned> viewDims) {
  unsigned rows = viewDims.end()[-2], columns = viewDims.back();
  const AffineMap map = contract.getIndexingMapsArray()[which];
  const ProductDims dims = *productDims(contract);
  if (map.getDimPosition(map.getNumResults() - 1) != (which == 0 ? dims.reduction : dims.columns))
    std::swap(rows, columns);
  auto digitsOf = [&](unsigned dim) {
    SmallVector<int64_t> piece = pieceOf(tensor, dim);
    const int64_t last = piece.back();
    llvm::erase_if(piece, [&](int64_t each) {
      return isUnit(behindViews(tensor).getDefiningOp<ir::FusionGroupOp>(), each);
    });
    return piece.empty() ? SmallVector<int64_t>{last} : piece;
  };
  return {digitsOf(rows), digitsOf(columns), rows, columns};
}

/// The last dimension of each piece, without offsets.
SmallVector<unsigned> viewDimsOf(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op)) {
    const SmallVector<unsigned> base = viewDimsOf(slice.getSource());
    const llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<unsigned> kept;
    for (auto [i, dim] : llvm::enumerate(base))
      if (!dropped.test(i))
        kept.push_back(dim);
    return kept;
  }
  SmallVector<unsigned> dims;
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    for (const ReassociationIndices &piece : collapse.getReassociationIndices())
      dims.push_back(piece.back());
    return dims;
  }
  return llvm::to_vector(llvm::seq<unsigned>(cast<RankedTensorType>(tensor.getType()).getRank()));
}

/// Whether a product can read the window as one of its operands.
bool canRead(OpOperand &use, ir::WindowOp window, linalg::GenericOp copy) {
  auto contract = dyn_cast<linalg::ContractOp>(use.getOwner());
  if (!contract || use.getOperandNumber() > 1)
    return false;
  const unsigned which = use.getOperandNumber();
  size_t products = 0;
  contract->getParentOfType<ir::FusionGroupOp>().walk([&](linalg::ContractOp) { ++products; });
  if (products != 1 || isOfWindow(contract.getInputs()[1 - which]))
    return false;
  const MatrixDims dims = dimsOf(contract, which, use.get(), viewDimsOf(use.get()));
  return isReadByRows(mapOf(window, copy, dims), dims.rows.size());
}

} // namespace

std::optional<CpuLowering::UnfoldedWindow> CpuLowering::unfoldedWindow(Value tensor) {
  auto group = behindViews(tensor).getDefiningOp<ir::FusionGroupOp>();
  UnfoldedWindow found;
  if (group)
    found.copy = copyOfWindow(group, found.window);
  if (!found.copy)
    return std::nullopt;
  const Value padding = found.window.getPadding();
  if (padding && !hasRangesOfSource(found.window))
    return std::nullopt;
  const auto isDim = [](Value symbol) {
    return isa_and_nonnull<ir::DimOp>(symbol.getDefiningOp());
  };
  if ((padding && !matchPattern(padding, m_PosZeroFloat()) && !matchPattern(padding, m_Zero())) ||
      !isInMemoryAsItIs(found.window.getSource()) ||
      !llvm::all_of(found.window.getSymbols(), isDim) || group.getResult(0).use_empty())
    return std::nullopt;
  const bool isRead = allUses(
      group.getResult(0), [&](OpOperand &use) { return canRead(use, found.window, found.copy); });
  return isRead ? std::optional(found) : std::nullopt;
}

CpuLowering::WindowRead CpuLowering::readWindow(linalg::ContractOp contract, unsigned which,
                                                Value tensor) {
  UnfoldedWindow unfolded = *unfoldedWindow(tensor);
  const GlobalView view = viewOf(tensor);
  const MatrixDims dims = dimsOf(contract, which, tensor, view.dims);
  WindowRead read;
  const GlobalView source = viewOf(unfolded.window.getSource());
  read.operand.add(source, -1, -1, index(0));
  read.map = mapOf(unfolded.window, unfolded.copy, dims);
  read.digits = {static_cast<int64_t>(dims.rows.size()), static_cast<int64_t>(dims.columns.size())};
  for (Value symbol : unfolded.window.getSymbols())
    read.operands.push_back(dimension(symbol.getDefiningOp<ir::DimOp>().getName()));
  const SmallVector<int64_t> digits = dims.both();
  auto offsetOf = [&](int64_t dim) { return view.offsets[dim] ? view.offsets[dim] : index(0); };
  auto group = behindViews(tensor).getDefiningOp<ir::FusionGroupOp>();
  for (unsigned dim = 0; dim < view.offsets.size(); ++dim)
    if (!llvm::is_contained(digits, static_cast<int64_t>(dim)))
      read.operands.push_back(isUnit(group, dim) ? index(0) : offsetOf(dim));
  const AffineMap places = unfolded.copy.getIndexingMapsArray()[0];
  for (int64_t dim : digits) {
    const auto place = places.getResultPosition(getAffineDimExpr(dim, b.getContext()));
    read.operands.push_back(
        place ? dimension(cast<StringAttr>(unfolded.window.getDims()[*place]).getValue())
              : index(1));
  }
  read.operands.push_back(offsetOf(dims.lastRow));
  read.operands.push_back(offsetOf(dims.lastColumn));
  return read;
}

} // namespace mmk
