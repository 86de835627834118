// Which products one loop may compute: what is computed from the elements of some, the first ones,
// is the left operand of others, the second ones, which sum over the columns of the first. As in
// attention, with a softmax between the two. With `fuse = products` such a chain is one group: a
// loop over the columns of the first products computes them all.
#include "passes/chains/weights_range.h"
#include "passes/conditions/product_depth.h"
#include "passes/dimensions.h"
#include "passes/fuser.h"
#include "passes/windows/image_operand.h"

using namespace mlir;

namespace mmk {

/// All values of linalg operations that `value` is computed from, itself among them.
static void collectSources(Value value, llvm::DenseSet<Value> &sources) {
  value = behindViews(value);
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
  value = behindViews(value);
  if (!isNode(value) || !seen.insert(value).second)
    return;
  if (productOf(value)) {
    products.insert(value.getDefiningOp());
    return;
  }
  for (Value operand : value.getDefiningOp()->getOperands())
    collectProducts(operand, products, seen);
}

// The left operand has the rows and columns of the first product, of which the second reduces the
// columns.
static bool multipliesColumns(linalg::ContractOp first, linalg::ContractOp second) {
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
         map.getDimPosition(rank - 2) == dims->rows;
}

/// Whether the cube loads windows of an image for it, in a loop of its own.
static bool readsImage(linalg::ContractOp product) { return imageOperand(product).has_value(); }

/// Whether a tile of it goes over a part of the depth, by a condition of the sum, which the loop of
/// a chain does not cut.
static bool hasCondition(linalg::ContractOp product) {
  return llvm::any_of(product.getInputs(), isMasked);
}

/// The products whose columns a product sums over by its left operand, in block order. A tensor of
/// other products of which that is computed is read from memory. Other elementwise work and
/// reductions compute that operand again for each element.
static SmallVector<linalg::ContractOp> firstsOf(linalg::ContractOp second) {
  const Value weights = second.getInputs()[0];
  auto op = weights.getDefiningOp<linalg::GenericOp>();
  const auto isElsewhere = [&](OpOperand &use) {
    return isa<linalg::ContractOp>(use.getOwner()) ? use.getOperandNumber() != 0
                                                   : !isa<linalg::GenericOp>(use.getOwner());
  };
  if (!op || readsImage(second) || isReduction(weights) ||
      llvm::any_of(weights.getUses(), isElsewhere))
    return {};
  llvm::SetVector<Operation *> products;
  llvm::DenseSet<Value> seen;
  collectProducts(weights, products, seen);
  SmallVector<linalg::ContractOp> firsts;
  for (Operation *product : products)
    if (auto first = cast<linalg::ContractOp>(product);
        !readsImage(first) && !hasCondition(first) && multipliesColumns(first, second))
      firsts.push_back(first);
  return firsts;
}

/// Whether no operand of the products that comes from memory is computed from one of them.
bool Fuser::ProductChain::isInOneLoop() const {
  llvm::DenseSet<Value> sources;
  for (linalg::ContractOp first : firsts)
    for (Value operand : first.getInputs())
      collectSources(operand, sources);
  for (linalg::ContractOp second : seconds)
    collectSources(second.getInputs()[1], sources);
  return llvm::none_of(llvm::concat<const linalg::ContractOp>(firsts, seconds),
                       [&](linalg::ContractOp it) { return sources.contains(it.getResult(0)); });
}

void Fuser::findChains() {
  chains.clear();
  chainOf.clear();
  if (!chainsProducts)
    return;
  for (auto second : block.getOps<linalg::ContractOp>()) {
    if (broken.contains(second))
      continue;
    ProductChain chain;
    for (linalg::ContractOp first : firstsOf(second)) {
      chain.firsts.insert(first);
      // With all that other chains compute from the same product.
      if (Operation *owner = chainOf.lookup(first)) {
        chain.firsts.insert_range(chains[owner].firsts);
        chain.seconds.insert_range(chains[owner].seconds);
      }
    }
    chain.seconds.insert(second);
    if (chain.firsts.empty() || !chain.isInOneLoop())
      continue;
    if (fitWithoutFactors(second.getInputs()[0]))
      addChain(std::move(chain));
    else
      exceedsRange = true;
  }
}

void Fuser::addChain(ProductChain chain) {
  const auto isBefore = [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); };
  for (auto *products : {&chain.firsts, &chain.seconds}) {
    SmallVector<linalg::ContractOp> sorted = products->takeVector();
    llvm::sort(sorted, isBefore);
    products->insert_range(sorted);
  }
  Operation *owner = chain.firsts.front();
  for (linalg::ContractOp product :
       llvm::concat<const linalg::ContractOp>(chain.firsts, chain.seconds)) {
    if (Operation *before = chainOf.lookup(product); before && before != owner)
      chains.erase(before);
    chainOf[product] = owner;
  }
  chains[owner] = std::move(chain);
}

Operation *Fuser::chainOfWeights(Value value) {
  for (auto &[owner, chain] : chains)
    for (linalg::ContractOp second : chain.seconds)
      if (second.getInputs()[0] == value)
        return owner;
  return nullptr;
}

void Fuser::breakChain(Value weights) {
  for (Operation *user : weights.getUsers())
    broken.insert(user);
}

bool Fuser::addProducts(RowGroup &group, Operation *owner) {
  SmallVector<Operation *> products = {owner}, all = {owner};
  if (const auto chain = chains.find(owner); chain != chains.end()) {
    products.assign(chain->second.firsts.begin(), chain->second.firsts.end());
    all = products;
    llvm::append_range(all, chain->second.seconds);
  }
  // What they multiply is not computed by the group.
  for (Operation *product : all)
    for (Value operand : operandsOf(cast<linalg::ContractOp>(product)))
      readBefore.insert(behindWindows(operand));
  for (Operation *product : products) {
    if (kept.contains(product->getResult(0)))
      return false;
    group.members[product] = llvm::to_vector(llvm::seq<int64_t>(group.space.names.size()));
  }
  return true;
}

bool Fuser::joinChain(Operation *owner, Value weights, ArrayRef<Use> leaves) {
  const RowSpace space(cast<linalg::ContractOp>(owner));
  RowGroup &group = rowGroups.insert({owner, RowGroup{space, {}}}).first->second;
  if (!addProducts(group, owner))
    return false;
  std::optional<SpaceLoops> loops = loopsInGroup(group, weights, leaves);
  if (!loops || group.space.reduced() != space.reduced())
    return false;
  group.members[weights.getDefiningOp()] = *loops;
  groupOf[weights] = owner;
  return true;
}

bool Fuser::reads(Operation *group, Operation *other, llvm::DenseSet<Operation *> &seen) {
  return seen.insert(group).second && llvm::any_of(readsOf.lookup(group), [&](Operation *read) {
           return read == other || reads(read, other, seen);
         });
}

bool Fuser::breakChains() {
  bool isAny = false;
  for (auto &[first, chain] : chains) {
    Operation *owner = first;
    const auto varies = [&](Value value) {
      RowGroup &group = rowGroups.find(owner)->second;
      const auto member = group.members.find(value.getDefiningOp());
      return groupOf.lookup(value) == owner && member != group.members.end() &&
             llvm::is_contained(dimsOfResult(member->first, member->second),
                                group.space.reduced().front());
    };
    llvm::DenseSet<Operation *> seen;
    if (!llvm::any_of(kept, varies) && !reads(owner, owner, seen))
      continue;
    broken.insert_range(chain.seconds);
    isAny = true;
  }
  return isAny;
}

} // namespace mmk
