// Leaves out what the order of instructions does not depend on: accesses to bytes that no other
// pipe accesses, and the numbers that only they used. A slot that is not followed is no reason to
// explore its values.
#include "sync/verify_sync_model.h"

#include "llvm/ADT/DenseSet.h"

namespace mmk::sync {
namespace {

class Pruner {
public:
  explicit Pruner(PhaseModel &program) : p(program) {}
  void run() {
    findSlots(p.body);
    prune(p.body);
  }

private:
  void findSlots(const Sequence &statements) {
    for (const Statement &s : statements) {
      if (s.kind == Kind::slot)
        copies[s.result] = s.number;
      for (const Sequence &child : s.children)
        findSlots(child);
    }
  }

  /// Whether nothing is to be ordered with the access, and its slot exists for sure.
  bool isUnordered(const Touch &touch) const {
    const int64_t slots = p.buffers[touch.buffer].copies;
    if (auto known = copies.find(touch.slot);
        touch.slot >= 0 && (known == copies.end() || known->second > slots))
      return false;
    for (int64_t slot = 0; slot < slots; ++slot)
      if (llvm::any_of(p.hazards[touch.event + slot], [](uint64_t word) { return word != 0; }))
        return false;
    return true;
  }

  // From the end: all uses of a value come after it.
  void prune(Sequence &statements) {
    for (auto s = statements.rbegin(); s != statements.rend(); ++s) {
      llvm::erase_if(s->touches, [&](const Touch &touch) { return isUnordered(touch); });
      for (auto child = s->children.rbegin(); child != s->children.rend(); ++child)
        prune(*child);
      if (!isUnused(*s))
        s->forEachUse([&](ValueId value) { used.insert(value); });
    }
    llvm::erase_if(statements, [&](const Statement &s) { return isUnused(s); });
  }
  bool isUnused(const Statement &s) const {
    return s.kind == Kind::access ? s.touches.empty()
                                  : s.kind <= Kind::slot && !used.contains(s.result);
  }

  PhaseModel &p;
  llvm::DenseMap<ValueId, int64_t> copies; ///< by the value that is a slot
  llvm::DenseSet<ValueId> used;
};

} // namespace

void pruneUnordered(PhaseModel &program) { Pruner(program).run(); }

} // namespace mmk::sync
