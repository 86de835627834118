#include "passes/windows/transposed_product.h"

#include "passes/dimensions.h"
#include "passes/variant.h"
#include "passes/windows/copy_in_order.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace mmk {
namespace {

/// From 0, with the last two swapped: the dimensions of a transposed matrix, behind its batches.
SmallVector<int64_t> transposedOrder(int64_t rank) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(order[rank - 2], order[rank - 1]);
  return order;
}

/// A map with the last two of its results swapped.
AffineMap withResultsSwapped(AffineMap map) {
  SmallVector<AffineExpr> results(map.getResults());
  std::swap(results[results.size() - 2], results.back());
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

/// A map of loops of which two are swapped.
AffineMap withLoopsSwapped(AffineMap map, unsigned one, unsigned other) {
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    loops.push_back(getAffineDimExpr(loop == one     ? other
                                     : loop == other ? one
                                                     : loop,
                                     map.getContext()));
  return map.replaceDimsAndSymbols(loops, {}, map.getNumDims(), 0);
}

RankedTensorType transposedType(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[shape.size() - 2], shape.back());
  return RankedTensorType::get(shape, type.getElementType());
}

Value transposedEmpty(OpBuilder &b, Value tensor) {
  SmallVector<Value> extents;
  const RankedTensorType type = transposedType(tensor);
  for (int64_t dim : transposedOrder(type.getRank()))
    extents.push_back(dimValue(b, tensor.getLoc(), dimName(tensor, dim)));
  return tensor::EmptyOp::create(b, tensor.getLoc(), type, extents);
}

class ProductTransposer {
public:
  ProductTransposer(OpBuilder &b, linalg::ContractOp contract) : b(b), contract(contract) {}

  linalg::ContractOp run() {
    b.setInsertionPoint(contract);
    SmallVector<AffineMap> maps = contract.getIndexingMapsArray();
    const ProductDims dims = *productDims(contract);
    for (AffineMap &map : maps)
      map = withLoopsSwapped(map, dims.rows, dims.columns);
    Value whole = contract.getResult(0), windows = transposedWindows();
    auto product = linalg::ContractOp::create(
        b, contract.getLoc(), TypeRange{transposedType(whole)},
        ValueRange{windows, contract.getInputs()[0]}, ValueRange{transposedStart()},
        b.getAffineMapArrayAttr(
            {withResultsSwapped(maps[1]), maps[0], withResultsSwapped(maps[2])}));
    const int64_t rank = cast<RankedTensorType>(whole.getType()).getRank();
    whole.replaceAllUsesWith(copyInOrder(b, product.getResult(0), transposedOrder(rank)));
    contract.erase();
    b.setInsertionPoint(product);
    return product;
  }

private:
  Value transposedStart() {
    auto fill = contract.getOutputs()[0].getDefiningOp<linalg::FillOp>();
    return linalg::FillOp::create(b, contract.getLoc(), fill.getInputs()[0],
                                  transposedEmpty(b, contract.getResult(0)))
        .getResult(0);
  }

  /// The windows with their pixels outside of the depth.
  Value transposedWindows() {
    auto collapse = contract.getInputs()[1].getDefiningOp<tensor::CollapseShapeOp>();
    auto window = collapse.getSrc().getDefiningOp<ir::WindowOp>();
    SmallVector<ReassociationIndices> pieces = collapse.getReassociationIndices();
    std::swap(pieces[pieces.size() - 2], pieces.back());
    SmallVector<Attribute> names;
    SmallVector<AffineExpr> places(window.getDims().size());
    for (ReassociationIndices &piece : pieces)
      for (int64_t &dim : piece) {
        places[dim] = b.getAffineDimExpr(names.size());
        names.push_back(window.getDims()[dim]);
        dim = static_cast<int64_t>(names.size()) - 1;
      }
    Value transposed =
        ir::WindowOp::create(b, window.getLoc(), window.getResult().getType(), window.getSource(),
                             window.getMap().replaceDimsAndSymbols(places, {}, places.size(), 0),
                             window.getSymbols(), b.getArrayAttr(names), window.getPadding());
    auto named = cast<ArrayAttr>(collapse->getAttr(collapsedDimsAttr));
    SmallVector<Attribute> dims(named.getValue());
    std::swap(dims[dims.size() - 2], dims.back());
    auto result = tensor::CollapseShapeOp::create(b, collapse.getLoc(), transposed, pieces);
    result->setAttr(collapsedDimsAttr, b.getArrayAttr(dims));
    return result;
  }

  OpBuilder &b;
  linalg::ContractOp contract;
};

/// What a tensor is the transposition of, if it is read by one operation alone; null if it is none.
Value transposedBy(Value tensor) {
  auto copy = tensor.getDefiningOp<linalg::GenericOp>();
  if (!copy || !tensor.hasOneUse() || copy.getNumDpsInputs() != 1 ||
      copy.getBody()->getTerminator()->getOperand(0) != copy.getBody()->getArgument(0))
    return {};
  const AffineMap map = copy.getIndexingMapsArray()[0];
  return map.isPermutation() && !map.isIdentity() && withResultsSwapped(map).isIdentity()
             ? copy.getInputs()[0]
             : Value();
}

/// Whether an elementwise operation reads transposed tensors, and no other along both of its last
/// loops, so that it can be computed before they are transposed.
bool readsTransposed(linalg::GenericOp op) {
  if (op.getNumResults() != 1 || op.getNumReductionLoops() > 0 || op.getNumLoops() < 2 ||
      !op.getIndexingMapsArray().back().isIdentity())
    return false;
  const unsigned last = op.getNumLoops() - 1;
  bool any = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    const AffineMap map = op.getMatchingIndexingMap(input);
    const bool isTransposed = map.isIdentity() && transposedBy(input->get());
    if (!isTransposed && map.isFunctionOfDim(last) && map.isFunctionOfDim(last - 1))
      return false;
    any |= isTransposed;
  }
  return any;
}

/// The operation on the tensors before they are transposed.
Value computedBefore(OpBuilder &b, linalg::GenericOp op) {
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [input, map] : llvm::zip(inputs, MutableArrayRef(maps).drop_back())) {
    Value source = map.isIdentity() ? transposedBy(input) : Value();
    if (source)
      input = source;
    else
      map = withLoopsSwapped(map, op.getNumLoops() - 1, op.getNumLoops() - 2);
  }
  auto result = linalg::GenericOp::create(b, op.getLoc(), transposedType(op.getResult(0)), inputs,
                                          transposedEmpty(b, op.getResult(0)), maps,
                                          op.getIteratorTypesArray());
  IRMapping map;
  op.getRegion().cloneInto(&result.getRegion(), map);
  const SmallVector<int64_t> order = transposedOrder(op.getNumLoops());
  for (auto index : result.getBody()->getOps<linalg::IndexOp>())
    index.setDim(order[index.getDim()]);
  return result.getResult(0);
}

} // namespace

linalg::ContractOp computeTransposed(OpBuilder &b, linalg::ContractOp contract) {
  return ProductTransposer(b, contract).run();
}

void transposeLate(OpBuilder &b, ir::KernelOp kernel) {
  for (auto op : llvm::make_early_inc_range(kernel.getBody().getOps<linalg::GenericOp>())) {
    if (transposedBy(op.getResult(0)) || !readsTransposed(op))
      continue;
    b.setInsertionPoint(op);
    Value before = computedBefore(b, op);
    const SmallVector<Value> inputs(op.getInputs());
    op.getResult(0).replaceAllUsesWith(copyInOrder(b, before, transposedOrder(op.getNumLoops())));
    op.erase();
    for (Value input : inputs)
      if (input.use_empty() && input.getDefiningOp<linalg::GenericOp>())
        input.getDefiningOp()->erase();
  }
}

} // namespace mmk
