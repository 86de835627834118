#include "ir/merged_dims.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk::aicore {

static constexpr StringLiteral mergedAttr = "merged";

SmallVector<MergedDims> mergedDims(KernelOp kernel) {
  SmallVector<MergedDims> all;
  if (auto pieces = kernel->getAttrOfType<ArrayAttr>(mergedAttr))
    for (auto piece : pieces.getAsRange<DenseI64ArrayAttr>())
      all.push_back({piece[0], piece[1], piece[2]});
  return all;
}

void setMergedDims(KernelOp kernel, ArrayRef<MergedDims> all) {
  Builder b(kernel.getContext());
  SmallVector<Attribute> pieces;
  for (const MergedDims &each : all)
    pieces.push_back(b.getDenseI64ArrayAttr({each.tensor, each.first, each.last}));
  if (!pieces.empty())
    kernel->setAttr(mergedAttr, b.getArrayAttr(pieces));
}

SmallVector<int64_t> boundingDims(LoadOp load, int64_t dim) {
  auto kernel = load->getParentOfType<KernelOp>();
  const int64_t number = numberOfTensor(kernel, load.getSource());
  const auto isWhole = [&](int64_t outer) {
    return matchPattern(load.getOffsets()[outer], m_Zero()) &&
           !llvm::is_contained(load.getAlong(), outer);
  };
  for (const MergedDims &dims : mergedDims(kernel)) {
    const auto all = llvm::to_vector(llvm::seq_inclusive(dims.first, dims.last));
    if (dims.tensor == number && dims.last == dim && llvm::all_of(llvm::drop_end(all), isWhole))
      return all;
  }
  return {dim};
}

static SmallVector<Value> tensorsOf(KernelOp kernel) {
  const auto bound = kernel.getBody().getArguments().drop_front(kernel.getDims().size());
  SmallVector<Value> tensors(bound.begin(), bound.end());
  for (auto workspace : kernel.getBody().getOps<WorkspaceOp>())
    tensors.push_back(workspace.getResult());
  return tensors;
}

LogicalResult verifyMergedDims(KernelOp kernel) {
  Attribute attribute = kernel->getAttr(mergedAttr);
  if (!attribute)
    return success();
  const SmallVector<Value> tensors = tensorsOf(kernel);
  auto isLegal = [&](Attribute piece) {
    auto numbers = dyn_cast<DenseI64ArrayAttr>(piece);
    if (!numbers || numbers.size() != 3 || numbers[0] < 0 ||
        numbers[0] >= static_cast<int64_t>(tensors.size()))
      return false;
    auto type = dyn_cast<MemRefType>(tensors[numbers[0]].getType());
    return type && 0 <= numbers[1] && numbers[1] < numbers[2] && numbers[2] < type.getRank();
  };
  auto pieces = dyn_cast<ArrayAttr>(attribute);
  if (!pieces)
    return kernel.emitOpError("expected a list of merged dimensions, found ") << attribute;
  for (Attribute piece : pieces)
    if (!isLegal(piece))
      return kernel.emitOpError("expected merged dimensions to be a tensor of its ")
             << tensors.size() << ", the first and the last of its dimensions, found " << piece;
  return success();
}

int64_t numberOfTensor(KernelOp kernel, Value memory) {
  const SmallVector<Value> tensors = tensorsOf(kernel);
  return llvm::find(tensors, memory) - tensors.begin();
}

Value tensorOfNumber(KernelOp kernel, int64_t number) { return tensorsOf(kernel)[number]; }

} // namespace mmk::aicore
