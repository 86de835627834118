// Values behind a condition that excludes whole columns of a chain. In
//
//   sum[j | j < length[b]](p[b, i, j] * v[b, j, d])
//
// v counts as 0 where the condition does not hold, so that a NaN there reaches no sum. A group of
// two products goes over the columns j. Where all that it computes from a column has that
// same condition, and the condition leaves a range of the columns, the loop goes over this range
// alone, and v is read as it is. Else a masked copy of v is written first.
#include "ir/rows.h"
#include "passes/chains/chain.h"
#include "passes/chains/element.h"
#include "passes/compare_integers.h"
#include "passes/dimensions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk {
namespace {

bool isConstant(Value value) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant));
}

/// Whether the core's scalar unit computes the number for a tile, but for what it adds times the
/// position in `columns`: it is linear in positions, in scalars, and in parameters of i32.
bool isLinear(const Element &of, Value value, int64_t columns) {
  Operation *op = value.getDefiningOp();
  if (isConstant(value))
    return true;
  if (OpOperand *operand = of.read(value)) {
    const auto dims = of.dimsOf(operand);
    if (!dims)
      return false;
    if (operand->get().getDefiningOp<ir::PositionsOp>())
      return true;
    auto parameter = dyn_cast<BlockArgument>(operand->get());
    return parameter && isa<ir::KernelOp>(parameter.getOwner()->getParentOp()) &&
           value.getType().isInteger(32) && !llvm::is_contained(*dims, columns);
  }
  if (value.getParentBlock() != of.body())
    return value.getType().isIntOrIndex();
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return isLinear(of, op->getOperand(0), columns);
  if (isa<arith::MulIOp>(op) && !isConstant(op->getOperand(0)) && !isConstant(op->getOperand(1)))
    return false;
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) &&
         isLinear(of, op->getOperand(0), columns) && isLinear(of, op->getOperand(1), columns);
}

/// The selection of the condition for an element, or 0 or the identity of a reduction without it.
arith::SelectOp selectionIn(Value element) {
  while (Operation *op = element.getDefiningOp()) {
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return matchPattern(select.getFalseValue(), m_Constant()) ? select : arith::SelectOp();
    if (!isa<arith::TruncFOp, arith::ExtFOp, arith::SIToFPOp, arith::FPToSIOp>(op))
      break;
    element = op->getOperand(0);
  }
  return {};
}

class ChainValues {
public:
  explicit ChainValues(ir::FusionGroupOp chain) : chain(chain) {}

  void run() {
    for (auto product : llvm::to_vector(chain.getBody().front().getOps<linalg::ContractOp>()))
      if (auto rows = product.getInputs()[0].getDefiningOp<ir::RowsOp>())
        readInPlace(product, rows);
  }

private:
  void readInPlace(linalg::ContractOp product, ir::RowsOp rows) {
    auto result = dyn_cast<OpResult>(product.getInputs()[1]);
    auto group = result ? dyn_cast<ir::FusionGroupOp>(result.getOwner()) : ir::FusionGroupOp();
    if (!group || group.getSpaceAttr())
      return;
    Value written = group.getBody().front().getTerminator()->getOperand(result.getResultNumber());
    auto op = written.getDefiningOp<linalg::GenericOp>();
    if (!op || op.getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
        !op.getIndexingMapsArray().back().isIdentity())
      return;
    auto select = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
    if (!select || !isZero(select.getFalseValue()))
      return;
    const Element condition{op, select.getCondition(), idsIn(product, rows, op)};
    OpOperand *values = condition.read(select.getTrueValue());
    if (!values || !op.getMatchingIndexingMap(values).isIdentity() ||
        !isRange(condition, columns) || !allStandBehind(rows, condition))
      return;
    Value source = values->get();
    // Each group has its own windows.
    if (Operation *window = source.getDefiningOp(); window && window->getParentOp() == group) {
      auto matrices = dyn_cast<ir::WindowOp>(window);
      if (!matrices || !matrices.isOfMatrices())
        return;
      OpBuilder b(product);
      source = b.clone(*window)->getResult(0);
    }
    product.getInputsMutable().slice(1, 1).assign(source);
    product->setAttr(excludedAttr, UnitAttr::get(product.getContext()));
    if (group->use_empty())
      group.erase();
  }

  static bool isZero(Value value) {
    return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
  }

  /// The loops of the masked values by the dimensions of the chain's space, through the product
  /// that reads them; sets `columns`. Loops that the space has not have ids of their own.
  SmallVector<int64_t> idsIn(linalg::ContractOp product, ir::RowsOp rows, linalg::GenericOp op) {
    const auto maps = product.getIndexingMapsArray();
    const ArrayRef<int64_t> dims =
        rows.dimsOfResult(cast<OpResult>(product.getInputs()[0]).getResultNumber());
    columns = dims.back();
    SmallVector<int64_t> ids;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      ids.push_back(-2 - static_cast<int64_t>(loop));
      for (auto [dim, result] : llvm::enumerate(maps[0].getResults()))
        if (result == maps[1].getResult(loop))
          ids.back() = dims[dim];
    }
    return ids;
  }

  static bool isRange(const Element &condition, int64_t columns) {
    return forEachComparison(condition.value, [&](Value large, Value small, bool) {
      return isLinear(condition, large, columns) && isLinear(condition, small, columns);
    });
  }

  /// Whether each reduction over the columns, and each of the weights, has this condition.
  bool allStandBehind(ir::RowsOp rows, const Element &condition) {
    const auto rank = static_cast<int64_t>(chain.getSpaceAttr().size());
    const auto stands = [&](arith::SelectOp select) {
      return select && areSame(condition, Element{rows, select.getCondition(),
                                                  llvm::to_vector(llvm::seq<int64_t>(rank))});
    };
    for (auto reduction : rows.block().getOps<ir::RowReduceOp>())
      if (!stands(reduction.getElement().getDefiningOp<arith::SelectOp>()))
        return false;
    return llvm::all_of(llvm::enumerate(rows.elements()), [&](auto it) {
      return !llvm::is_contained(rows.dimsOfResult(it.index()), columns) ||
             stands(selectionIn(it.value()));
    });
  }

  ir::FusionGroupOp chain;
  int64_t columns = -1; ///< of the first product, in the space
};

} // namespace

void readChainValues(ir::KernelOp kernel) {
  for (auto group : llvm::to_vector(kernel.getBody().getOps<ir::FusionGroupOp>()))
    if (group.getSpaceAttr())
      ChainValues(group).run();
}

} // namespace mmk
