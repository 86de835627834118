#include "ir/rows.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/RowsOps.cpp.inc"

namespace mmk::ir {

RowsOp rowsOf(FusionGroupOp group) {
  RowsOp found;
  group.walk([&](RowsOp rows) {
    found = rows;
    return WalkResult::interrupt();
  });
  return found;
}

bool RowsOp::hasScan() {
  return llvm::any_of(block().getOps<RowReduceOp>(), [](RowReduceOp it) { return it.getScan(); });
}

/// Whether these are the dimensions and the elements of tensors in a space of `rank` dimensions.
static bool fits(ValueRange tensors, ArrayAttr dims, TypeRange elements, int64_t rank) {
  if (dims.size() != tensors.size() || elements.size() != tensors.size())
    return false;
  return llvm::all_of(llvm::zip(tensors, dims, elements), [&](auto it) {
    const auto type = cast<RankedTensorType>(std::get<0>(it).getType());
    const auto own = cast<DenseI64ArrayAttr>(std::get<1>(it)).asArrayRef();
    return static_cast<int64_t>(own.size()) == type.getRank() &&
           std::get<2>(it) == type.getElementType() &&
           llvm::all_of(own, [&](int64_t dim) { return dim >= -1 && dim < rank; });
  });
}

LogicalResult RowsOp::verifyRegions() {
  auto group = (*this)->getParentOfType<FusionGroupOp>();
  if (!group || !group.getSpaceAttr())
    return emitOpError("expected to be in a mmk.fusion_group over dimensions");
  const auto rank = static_cast<int64_t>(group.getSpaceAttr().size());
  if (!isa<RowElementsOp>(block().getTerminator()))
    return emitOpError("expected mmk.row_elements at its end");
  if (!fits(getInputs(), getAlong(), block().getArgumentTypes(), rank))
    return emitOpError("expected an element of each tensor, and a dimension of its space, or -1, "
                       "for each dimension of the tensor");
  if (!fits(getResults(), getTo(), elements().getTypes(), rank))
    return emitOpError("expected an element of each result, and a dimension of its space, or -1, "
                       "for each dimension of the result");
  if (getParts() && static_cast<int64_t>(getParts()->size()) != rank)
    return emitOpError("expected a number of parts for each of ") << rank << " dimensions";
  return success();
}

LogicalResult RowReduceOp::verify() {
  const bool isSearch =
      getKind() == aicore::ReduceKind::argmax || getKind() == aicore::ReduceKind::argmin;
  if (isSearch != static_cast<bool>(getPosition()))
    return emitOpError("expected a position of argmax and argmin, and of no other kind");
  if (getScan() && getKind() != aicore::ReduceKind::add)
    return emitOpError("expected a scan to add");
  if (getIdentity().getType() != getElement().getType())
    return emitOpError("starts from ")
           << getIdentity() << ", but combines " << getElement().getType();
  return success();
}

} // namespace mmk::ir
