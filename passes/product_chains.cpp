// Which products follow each other: the rows of one are reduced, and what is computed from them is
// the left operand of the other, which sums over the columns of the first. As in attention, with a
// softmax between the two. With `fuse = products` such a chain is one group: a loop over the
// columns of the first product computes both.
#include "passes/dimensions.h"
#include "passes/fuser.h"

using namespace mlir;

namespace mmk {

/// All values of linalg operations that `value` is computed from, itself among them.
static void collectSources(Value value, llvm::DenseSet<Value> &sources) {
  value = behindSlices(value);
  if (auto window = value.getDefiningOp<ir::WindowOp>())
    return collectSources(window.getSource(), sources);
  if (!isNode(value) || !sources.insert(value).second)
    return;
  for (Value operand : value.getDefiningOp()->getOperands())
    collectSources(operand, sources);
}

/// The products that `value` is computed from without another product between.
static void collectProducts(Value value, llvm::SetVector<Operation *> &products,
                            llvm::DenseSet<Value> &seen) {
  value = behindSlices(value);
  if (!isNode(value) || !seen.insert(value).second)
    return;
  if (productOf(value)) {
    products.insert(value.getDefiningOp());
    return;
  }
  for (Value operand : value.getDefiningOp()->getOperands())
    collectProducts(operand, products, seen);
}

void Fuser::findChains() {
  chainOf.clear();
  startOf.clear();
  if (!chainsProducts)
    return;
  for (auto second : block.getOps<linalg::ContractOp>()) {
    const Value weights = second.getInputs()[0];
    auto op = weights.getDefiningOp<linalg::GenericOp>();
    if (!op || isReduction(weights) || broken.contains(second))
      continue;
    llvm::SetVector<Operation *> products;
    llvm::DenseSet<Value> seen, ofOther;
    collectProducts(weights, products, seen);
    collectSources(second.getInputs()[1], ofOther);
    if (products.size() != 1)
      continue;
    auto first = cast<linalg::ContractOp>(products.front());
    if (ofOther.contains(first.getResult(0)) || chainOf.count(first) ||
        !multipliesColumns(first, second))
      continue;
    chainOf[first] = second;
    startOf[second] = first;
  }
}

// The left operand has the rows and columns of the first product, of which the second reduces the
// columns.
bool Fuser::multipliesColumns(linalg::ContractOp first, linalg::ContractOp second) {
  const Value product = first.getResult(0), weights = second.getInputs()[0];
  const int64_t rank = cast<RankedTensorType>(product.getType()).getRank();
  if (cast<RankedTensorType>(weights.getType()).getRank() != rank)
    return false;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dimName(product, dim) != dimName(weights, dim))
      return false;
  const AffineMap map = second.getIndexingMapsArray()[0];
  const FailureOr<ProductDims> dims = productDims(second);
  return succeeded(dims) && map.getDimPosition(rank - 1) == dims->reduction &&
         map.getDimPosition(rank - 2) == dims->rows && weights.hasOneUse();
}

linalg::ContractOp Fuser::endOfChain(Value value) {
  for (auto &[second, first] : startOf)
    if (cast<linalg::ContractOp>(second).getInputs()[0] == value)
      return cast<linalg::ContractOp>(second);
  return {};
}

bool Fuser::joinChain(linalg::ContractOp second, Value weights, ArrayRef<Use> leaves) {
  linalg::ContractOp first = startOf.lookup(second);
  const Value product = first.getResult(0);
  if (lastGroupOf(leaves) != first || kept.contains(product))
    return false;
  const int64_t rank = cast<RankedTensorType>(product.getType()).getRank();
  if (!rowGroups.count(first)) {
    RowGroup group{RowSpace(first), {}};
    group.members[first] = llvm::to_vector(llvm::seq<int64_t>(rank));
    rowGroups.insert({first, group});
  }
  RowGroup &group = rowGroups.find(first)->second;
  std::optional<SpaceLoops> loops = loopsInGroup(group, weights, leaves);
  if (!loops || group.space.reduced() != SmallVector<int64_t>{rank - 1})
    return false;
  group.members[weights.getDefiningOp()] = *loops;
  groupOf[weights] = first;
  return true;
}

bool Fuser::reads(Operation *group, Operation *other, llvm::DenseSet<Operation *> &seen) {
  return seen.insert(group).second && llvm::any_of(readsOf.lookup(group), [&](Operation *read) {
           return read == other || reads(read, other, seen);
         });
}

bool Fuser::breakChains() {
  bool isAny = false;
  for (auto &[first, second] : chainOf) {
    const auto varies = [&, first = first](Value value) {
      RowGroup &group = rowGroups.find(first)->second;
      const auto member = group.members.find(value.getDefiningOp());
      return groupOf.lookup(value) == first && member != group.members.end() &&
             llvm::is_contained(dimsOfResult(member->first, member->second),
                                group.space.reduced().front());
    };
    llvm::DenseSet<Operation *> seen;
    if (!llvm::any_of(kept, varies) && !reads(first, first, seen))
      continue;
    broken.insert(second);
    isAny = true;
  }
  return isAny;
}

} // namespace mmk
