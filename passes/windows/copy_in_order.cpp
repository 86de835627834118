#include "passes/windows/copy_in_order.h"

#include "passes/dimensions.h"
#include "passes/variant.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace mmk {

Value copyInOrder(OpBuilder &b, Value tensor, ArrayRef<int64_t> order) {
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

} // namespace mmk
