// Which reductions, and which elementwise values between and behind them, one row group computes.
#include "passes/fuser.h"

using namespace mlir;

namespace mmk {

std::optional<SpaceLoops> Fuser::loopsInGroup(RowGroup &group, Value value, ArrayRef<Use> leaves) {
  SmallVector<RowUse> uses;
  for (auto &[leaf, map] : leaves) {
    auto member = group.members.find(leaf.getDefiningOp());
    if (member == group.members.end())
      continue;
    if (!map)
      return std::nullopt;
    uses.push_back({dimsOfResult(leaf.getDefiningOp<linalg::LinalgOp>(), member->second), map});
  }
  return loopsIn(group.space, value.getDefiningOp<linalg::LinalgOp>(), uses);
}

// Whether a kernel parameter, or a value in memory, is read by both.
static bool sharesOperand(Operation *x, Operation *y) {
  return llvm::any_of(cast<linalg::LinalgOp>(x).getDpsInputs(), [&](Value operand) {
    return llvm::is_contained(cast<linalg::LinalgOp>(y).getDpsInputs(), operand);
  });
}

Operation *Fuser::chooseRowGroup(Value value, ArrayRef<Use> leaves) {
  Operation *op = value.getDefiningOp(), *last = nullptr;
  for (auto &[leaf, map] : leaves)
    if (Operation *group = groupOfLeaf(leaf); !last || last->isBeforeInBlock(group))
      last = group;
  auto join = [&](Operation *owner) {
    RowGroup &group = rowGroups.find(owner)->second;
    std::optional<SpaceLoops> loops = loopsInGroup(group, value, leaves);
    if (loops)
      group.members[op] = *loops;
    return loops.has_value();
  };
  if (!separate && last && rowGroups.count(last) && join(last))
    return last;
  if (!isReduction(value))
    return nullptr;
  // Reductions of the same rows that do not need each other share one pass.
  if (!separate)
    for (auto &[owner, group] : llvm::reverse(rowGroups))
      if ((!last || last->isBeforeInBlock(owner)) &&
          llvm::any_of(group.members,
                       [&](auto &member) { return sharesOperand(member.first, op); }) &&
          join(owner))
        return owner;
  RowGroup group{RowSpace(cast<linalg::LinalgOp>(op)), {}};
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
  for (auto &[leaf, map] : leaves) {
    Operation *op = leaf.getDefiningOp();
    if (isAnchor(leaf) || groupOf.lookup(leaf) != op || readBefore.contains(leaf) || !map)
      continue;
    const SmallVector<Use> own = leavesOf(leaf);
    if (std::optional<SpaceLoops> loops = loopsInGroup(group, leaf, own)) {
      group.members[op] = *loops;
      groupOf[leaf] = owner;
    }
  }
}

} // namespace mmk
