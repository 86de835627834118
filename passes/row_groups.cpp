// Which reductions, and which elementwise values between and behind them, one row group computes.
#include "passes/dimensions.h"
#include "passes/fuser.h"

using namespace mlir;

namespace mmk {

namespace {

/// Marks the loops that tensors of memory have, of which `value` is computed by inlining.
void markLoops(Value value, AffineMap map, SmallVectorImpl<bool> &isThere) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || isAnchor(value) || ir::isGenerated(op)) {
    for (AffineExpr expression : map.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expression))
        isThere[loop.getPosition()] = true;
    return;
  }
  for (OpOperand *input : op.getDpsInputOperands())
    markLoops(input->get(), op.getMatchingIndexingMap(input).compose(map), isThere);
}

} // namespace

// The sum over j of what has no j would have no tensor that says how long j is.
void Fuser::addRepeated(SmallVectorImpl<Value> &operands) {
  for (auto op : block.getOps<linalg::GenericOp>()) {
    if (!isRowReduction(op))
      continue;
    SmallVector<bool> isThere(op.getNumLoops(), false);
    for (OpOperand &operand : op->getOpOperands())
      markLoops(operand.get(), op.getMatchingIndexingMap(&operand), isThere);
    if (llvm::all_of(isThere, [](bool is) { return is; }))
      continue;
    operands.push_back(op.getDpsInputs().front());
    repeated.insert(operands.back());
  }
}

std::optional<SpaceLoops> Fuser::loopsInGroup(RowGroup &group, Value value, ArrayRef<Use> leaves) {
  SmallVector<RowUse> uses;
  for (auto &[leaf, map] : leaves) {
    auto member = group.members.find(leaf.getDefiningOp());
    if (member == group.members.end())
      continue;
    if (!map)
      return std::nullopt;
    uses.push_back({dimsOfResult(leaf.getDefiningOp(), member->second), map});
  }
  std::optional<SpaceLoops> loops =
      loopsIn(group.space, value.getDefiningOp<linalg::LinalgOp>(), uses);
  if (loops && group.isDivided && !joinsDivided(group, value, *loops, leaves))
    return std::nullopt;
  return loops;
}

// No core has the whole row, so that what waits for a reduction of it is another pass over all
// cores; the online form alone does not wait. What is computed for each row follows when the parts
// are combined.
bool Fuser::joinsDivided(RowGroup &group, Value value, ArrayRef<int64_t> loops,
                         ArrayRef<Use> leaves) {
  const bool waits = llvm::any_of(
      leaves, [&](const Use &use) { return group.members.contains(use.first.getDefiningOp()); });
  if (isReduction(value))
    return !waits || rowFormOf(kernel, group.space) == RowForm::online;
  return waits && llvm::none_of(loops, [&](int64_t loop) {
           return loop >= 0 && group.space.isReduced[loop];
         });
}

Fuser::RowGroup Fuser::groupOver(RowSpace space) {
  const bool isDivided = !partsOf(kernel, space).empty();
  return {std::move(space), {}, isDivided};
}

// Tensors in memory that a value is computed from, through what is inlined.
void Fuser::collectOperands(Value value, llvm::DenseSet<Value> &operands) {
  for (Value input : value.getDefiningOp<linalg::LinalgOp>().getDpsInputs()) {
    const Value source = behindViews(input);
    if (ir::isGenerated(source.getDefiningOp()))
      continue;
    if (!isNode(source) || isCumulation(source))
      operands.insert(source);
    else if (!isAnchor(source) && !operands.contains(source)) {
      if (kept.contains(source))
        operands.insert(source);
      collectOperands(source, operands);
    }
  }
}

bool Fuser::sharesOperand(RowGroup &group, Value value) {
  llvm::DenseSet<Value> own, others;
  collectOperands(value, own);
  for (auto &member : group.members)
    collectOperands(member.first->getResults().back(), others);
  return llvm::any_of(own, [&](Value operand) { return others.contains(operand); });
}

// The tile of a product holds whole rows of it, which the vector cores reduce while the cube
// computes the next tile.
bool Fuser::startBehind(linalg::ContractOp product, Value value, ArrayRef<Use> leaves) {
  RowGroup group{RowSpace(value.getDefiningOp<linalg::LinalgOp>()), {}};
  const Value result = product.getResult(0);
  const int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
  if (group.space.reduced() != SmallVector<int64_t>{rank - 1})
    return false;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dimName(result, dim) != group.space.names[dim])
      return false;
  if (!addProducts(group, product))
    return false;
  for (Value other : kept) {
    if (groupOf.lookup(other) != product)
      continue;
    std::optional<SpaceLoops> loops = loopsInGroup(group, other, leavesOf(other));
    if (!loops)
      return false;
    group.members[other.getDefiningOp()] = *loops;
  }
  std::optional<SpaceLoops> loops = loopsInGroup(group, value, leaves);
  if (!loops)
    return false;
  group.members[value.getDefiningOp()] = *loops;
  rowGroups.insert({product, group});
  return true;
}

Operation *Fuser::chooseRowGroup(Value value, ArrayRef<Use> leaves) {
  Operation *op = value.getDefiningOp(), *last = lastGroupOf(leaves);
  auto join = [&](Operation *owner) {
    RowGroup &group = rowGroups.find(owner)->second;
    std::optional<SpaceLoops> loops = loopsInGroup(group, value, leaves);
    if (loops)
      group.members[op] = *loops;
    return loops.has_value();
  };
  if (repeated.contains(value))
    return nullptr;
  // The second product of a chain is there when the rows of the first are computed, no earlier.
  Operation *second = nullptr;
  for (const Use &use : leaves)
    if (isSecond(use.first.getDefiningOp()) &&
        (!second || second->isBeforeInBlock(use.first.getDefiningOp())))
      second = use.first.getDefiningOp();
  const bool isBehind = second && chains.contains(last);
  if (!separate && last && rowGroups.count(last) && !isBehind && join(last))
    return last;
  if (!isReduction(value))
    return nullptr;
  if (auto product = dyn_cast_or_null<linalg::ContractOp>(last);
      product && (joinsProducts || chains.contains(product)) && !rowGroups.count(last) &&
      startBehind(product, value, leaves))
    return last;
  // Reductions of the same rows that do not need each other share one pass.
  if (!separate)
    for (auto &[owner, group] : llvm::reverse(rowGroups))
      if ((!last || last->isBeforeInBlock(owner)) && (!second || second->isBeforeInBlock(owner)) &&
          sharesOperand(group, value) && join(owner))
        return owner;
  RowGroup group = groupOver(RowSpace(cast<linalg::LinalgOp>(op)));
  SpaceLoops loops;
  for (size_t i = 0; i < group.space.names.size(); ++i)
    loops.push_back(i);
  group.members[op] = loops;
  rowGroups.insert({op, group});
  return op;
}

// A result of elementwise work, such as a sum of two tensors of which a norm is computed: its row
// is on the chip while the group computes.
void Fuser::takeReadResults(Operation *owner, ArrayRef<Use> leaves) {
  if (separate)
    return;
  RowGroup &group = rowGroups.find(owner)->second;
  if (group.isDivided)
    return;
  for (auto &[leaf, map] : leaves) {
    Operation *op = leaf.getDefiningOp();
    if (isAnchor(leaf) || groupOf.lookup(leaf) != op || readBefore.contains(leaf) || !map ||
        repeated.contains(leaf))
      continue;
    const SmallVector<Use> own = leavesOf(leaf);
    if (std::optional<SpaceLoops> loops = loopsInGroup(group, leaf, own)) {
      group.members[op] = *loops;
      groupOf[leaf] = owner;
    }
  }
}

// A result that reads the same tensors as a row group, and nothing has read before: they are on the
// chip while the group computes.
void Fuser::takeIndependentResults() {
  for (Value value : kept) {
    if (separate || isAnchor(value) || groupOf.lookup(value) != value.getDefiningOp() ||
        readBefore.contains(value) || repeated.contains(value) || !leavesOf(value).empty())
      continue;
    for (auto &[owner, group] : rowGroups) {
      if (!sharesOperand(group, value))
        continue;
      if (std::optional<SpaceLoops> loops = loopsInGroup(group, value, {})) {
        group.members[value.getDefiningOp()] = *loops;
        groupOf[value] = owner;
        break;
      }
    }
  }
}

} // namespace mmk
