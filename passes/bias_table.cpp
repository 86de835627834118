#include "passes/bias_table.h"
#include "passes/dimensions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace mmk {
namespace {

/// A parameter, possibly through a slice of its broadcast dimensions.
bool isParameter(Value value) {
  value = behindViews(value);
  return isa<BlockArgument>(value);
}

/// An op that only adds its two operands, which may be widened first.
bool isSum(linalg::GenericOp op) {
  Operation *added = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  return op.getNumDpsInputs() == 2 && isa_and_nonnull<arith::AddFOp>(added) &&
         llvm::all_of(op.getBody()->without_terminator(), [&](Operation &inner) {
           return &inner == added || isa<arith::ExtFOp>(inner);
         });
}

/// Along the columns, and maybe batches, but the same for all rows.
bool isRow(AffineMap map) {
  if (!map.isProjectedPermutation() || map.getNumDims() < 2)
    return false;
  int64_t last = -1;
  for (AffineExpr expression : map.getResults())
    if (const int64_t dim = cast<AffineDimExpr>(expression).getPosition(); dim > last)
      last = dim;
    else
      return false; // transposed
  return map.isFunctionOfDim(map.getNumDims() - 1) && !map.isFunctionOfDim(map.getNumDims() - 2);
}

std::string typeOf(Value tensor) {
  std::string text;
  llvm::raw_string_ostream(text) << cast<RankedTensorType>(tensor.getType()).getElementType();
  return text;
}

std::optional<AddedRow> rowOf(linalg::ContractOp product, std::string &problem) {
  std::string name = "the product";
  if (auto given = product->getAttrOfType<StringAttr>("mmk.name"))
    name = given.getValue();
  Value result = product.getResult(0);
  auto refuse = [&](const std::string &why) {
    problem = why;
    return std::nullopt;
  };
  if (!cast<RankedTensorType>(result.getType()).getElementType().isF32())
    return refuse(name + " is of " + typeOf(result));
  if (!result.hasOneUse())
    return refuse(name + " is also used without what is added to it");
  auto sum = dyn_cast<linalg::GenericOp>(*result.user_begin());
  if (!sum || !isSum(sum))
    return refuse("nothing is added to " + name + " itself");
  OpOperand *own = &*result.use_begin(),
            *other = sum.getDpsInputOperand(own->getOperandNumber() == 0 ? 1 : 0);
  if (!sum.getMatchingIndexingMap(own).isIdentity() || !isRow(sum.getMatchingIndexingMap(other)))
    return refuse("what is added to " + name + " is no row that all of its rows share");
  if (!isParameter(other->get()))
    return refuse("what is added to " + name + " is computed, and no parameter");
  if (typeOf(other->get()) != "f32")
    return refuse("what is added to " + name + " is of " + typeOf(other->get()));
  return AddedRow{product, sum, other};
}

} // namespace

SmallVector<AddedRow> findAddedRows(ir::KernelOp kernel, std::string &problem) {
  SmallVector<AddedRow> found;
  kernel.walk([&](linalg::ContractOp product) {
    if (std::optional<AddedRow> row = rowOf(product, problem))
      found.push_back(*row);
  });
  return found;
}

LogicalResult startFromRows(ir::KernelOp kernel) {
  std::string problem;
  const SmallVector<AddedRow> rows = findAddedRows(kernel, problem);
  if (rows.empty())
    return kernel.choice("bias").emitError()
           << "bias = table takes a row of f32 that is added to a product, but " << problem
           << "; legal: vector";
  for (const AddedRow &added : rows) {
    linalg::ContractOp product = added.product;
    linalg::GenericOp sum = added.sum;
    AffineMap along = sum.getMatchingIndexingMap(added.row);
    SmallVector<int64_t> repeated;
    for (unsigned dim = 0; dim < along.getNumDims(); ++dim)
      if (!along.isFunctionOfDim(dim))
        repeated.push_back(dim);
    auto zero = product.getOutputs()[0].getDefiningOp<linalg::FillOp>();
    // After the slices of the row, which may come after the product.
    product->moveBefore(sum);
    OpBuilder b(product);
    auto start = linalg::BroadcastOp::create(b, sum.getLoc(), added.row->get(),
                                             zero.getOutputs()[0], repeated);
    product.getOutputsMutable().assign(start->getResults());
    sum.getResult(0).replaceAllUsesWith(product.getResult(0));
    sum.erase();
    if (zero->use_empty())
      zero.erase();
  }
  return success();
}

} // namespace mmk
