#include "passes/dimensions.h"

#include "ir/rows.h"

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mmk {

FailureOr<ProductDims> productDims(linalg::ContractOp contract) {
  FailureOr<linalg::ContractionDimensions> kinds =
      linalg::inferContractionDims(cast<linalg::LinalgOp>(contract.getOperation()));
  if (failed(kinds) || kinds->m.empty() || kinds->n.empty() || kinds->k.size() != 1)
    return failure();
  // linalg also infers batches of only one operand as rows or columns; the operand's own are the
  // last.
  const AffineMap output = contract.getIndexingMapsArray().back();
  const ProductDims dims = {kinds->m.back(), kinds->n.back(), kinds->k.front()};
  const unsigned rank = output.getNumResults();
  if (output.getDimPosition(rank - 2) != dims.rows ||
      output.getDimPosition(rank - 1) != dims.columns)
    return failure();
  return dims;
}

ProductNames productNames(linalg::ContractOp contract) {
  const SmallVector<StringRef> names = dimNames(cast<linalg::LinalgOp>(contract.getOperation()));
  FailureOr<ProductDims> dims = productDims(contract);
  assert(succeeded(dims) && "checked by checkDims");
  return {names[dims->rows], names[dims->columns], names[dims->reduction]};
}

namespace {

StringRef nameOfLoop(linalg::LinalgOp op, unsigned loop) {
  // Results on whole tensors have names; those on tiles have the names of their operands.
  SmallVector<OpOperand *> operands =
      llvm::to_vector(llvm::make_pointer_range(op.getDpsInitsMutable()));
  llvm::append_range(operands, op.getDpsInputOperands());
  for (OpOperand *operand : operands) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (auto [i, expression] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expression); dim && dim.getPosition() == loop)
        if (StringRef name = dimName(operand->get(), i); !name.empty())
          return name;
  }
  return "";
}

/// The name of the dimension from which an extent is computed.
StringRef nameOfExtent(Value extent) {
  if (auto dim = extent.getDefiningOp<ir::DimOp>())
    return dim.getName();
  if (auto dim = extent.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> which = dim.getConstantIndex())
      return dimName(dim.getSource(), *which);
  return "";
}

StringRef nameOfArgument(BlockArgument argument, unsigned dim) {
  Operation *owner = argument.getOwner()->getParentOp();
  if (auto kernel = dyn_cast<ir::KernelOp>(owner)) {
    auto named = cast<ir::NamedAttr>(kernel.getArgs()[argument.getArgNumber()]);
    return named.getDims()[dim].getValue();
  }
  if (auto loop = dyn_cast<LoopLikeOpInterface>(owner))
    if (OpOperand *init = loop.getTiedLoopInit(argument))
      return dimName(init->get(), dim);
  return "";
}

} // namespace

bool isReshape(Operation *op) {
  return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

bool isReturned(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) { return isa<ir::ReturnOp>(user); });
}

Value behindReshapes(Value tensor) {
  while (isReshape(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return tensor;
}

Value behindViews(Value tensor) {
  for (Operation *op = tensor.getDefiningOp();
       isReshape(op) || isa_and_nonnull<tensor::ExtractSliceOp>(op); op = tensor.getDefiningOp())
    tensor = op->getOperand(0);
  return tensor;
}

StringRef dimName(Value tensor, unsigned dim) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return nameOfArgument(argument, dim);
  auto result = cast<OpResult>(tensor);
  const unsigned number = result.getResultNumber();
  if (ir::isGenerated(result.getOwner()))
    return ir::dimensionOfGenerated(result.getOwner(), dim);
  return llvm::TypeSwitch<Operation *, StringRef>(result.getOwner())
      .Case([&](tensor::ExtractSliceOp slice) -> StringRef {
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        for (unsigned i = 0, kept = 0; i < dropped.size(); ++i)
          if (!dropped.test(i) && kept++ == dim)
            return dimName(slice.getSource(), i);
        return "";
      })
      .Case([&](tensor::CollapseShapeOp collapse) -> StringRef {
        auto dims = collapse->getAttrOfType<ArrayAttr>(collapsedDimsAttr);
        return dims ? cast<StringAttr>(dims[dim]).getValue() : "";
      })
      .Case([&](tensor::ExpandShapeOp expand) -> StringRef {
        auto extent = dyn_cast<Value>(expand.getMixedOutputShape()[dim]);
        return extent ? nameOfExtent(extent) : "";
      })
      .Case([&](tensor::EmptyOp empty) -> StringRef {
        if (!empty.getType().isDynamicDim(dim))
          return "";
        return nameOfExtent(empty.getDynamicSize(dim));
      })
      .Case([&](tensor::InsertSliceOp insert) { return dimName(insert.getDest(), dim); })
      .Case([&](ir::FusionGroupOp group) {
        return dimName(group.getBody().front().getTerminator()->getOperand(number), dim);
      })
      .Case([&](ir::RowsOp rows) -> StringRef {
        const int64_t along = rows.dimsOfResult(number)[dim];
        auto group = rows->getParentOfType<ir::FusionGroupOp>();
        return along < 0 ? "1" : cast<StringAttr>(group.getSpaceAttr()[along]).getValue();
      })
      .Case([&](scf::ForOp loop) {
        StringRef name = dimName(loop.getInitArgs()[number], dim);
        return name.empty() ? dimName(loop.getBody()->getTerminator()->getOperand(number), dim)
                            : name;
      })
      .Case([&](scf::ForallOp loop) { return dimName(loop.getOutputs()[number], dim); })
      .Case([&](scf::IfOp branch) {
        return dimName(branch.thenBlock()->getTerminator()->getOperand(number), dim);
      })
      .Case([&](linalg::LinalgOp op) -> StringRef {
        auto along =
            dyn_cast<AffineDimExpr>(op.getIndexingMapMatchingResult(result).getResult(dim));
        return along ? nameOfLoop(op, along.getPosition()) : "";
      })
      .Default([&](Operation *op) -> StringRef {
        // An op that only changes the memory or the static shape of a tensor keeps its dimensions.
        auto source = op->getNumOperands() > 0
                          ? dyn_cast<RankedTensorType>(op->getOperand(0).getType())
                          : RankedTensorType();
        const bool same =
            source && source.getRank() == cast<RankedTensorType>(tensor.getType()).getRank();
        return same ? dimName(op->getOperand(0), dim) : "";
      });
}

int64_t elementwiseRows(ArrayRef<StringRef> dims) {
  // A tile of fewer rows takes longer to start than to move.
  constexpr int64_t few = 16;
  const int64_t otherwise = static_cast<int64_t>(dims.size()) - 2;
  for (int64_t dim = otherwise; dim >= 0; --dim)
    if (int64_t literal; dims[dim].getAsInteger(10, literal) || literal >= few)
      return dim;
  return std::max<int64_t>(otherwise, -1);
}

SmallVector<StringRef> namesOf(ArrayRef<StringAttr> dims) {
  return llvm::map_to_vector(dims, [](StringAttr dim) { return dim.getValue(); });
}

SmallVector<StringRef> dimNames(linalg::LinalgOp op) {
  SmallVector<StringRef> names;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    names.push_back(nameOfLoop(op, loop));
  return names;
}

LogicalResult checkDims(ir::KernelOp kernel) {
  WalkResult result = kernel.walk([](linalg::LinalgOp op) {
    auto product = dyn_cast<linalg::ContractOp>(op.getOperation());
    if (product && failed(productDims(product))) {
      op->emitOpError("expected rows and columns as its last dimensions, and one reduction");
      return WalkResult::interrupt();
    }
    const bool isWhole = isa<ir::KernelOp, ir::FusionGroupOp>(op->getParentOp());
    if (!product && !(isWhole && isa<linalg::GenericOp>(op.getOperation())))
      return WalkResult::advance();
    if (!llvm::is_contained(dimNames(op), ""))
      return WalkResult::advance();
    op->emitOpError("expected each of its ")
        << op.getNumLoops() << " dimensions to be one of a parameter or a mmk.dim";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace mmk
