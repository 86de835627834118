// How far a split of a value reaches. After the last statement that depends on the value its
// options need not be followed apart: two loops one after the other, each with its own number of
// iterations, are explored in the sum of their cases and not in the product.
#include "sync/verify_sync_model.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

namespace mmk::sync {
namespace {

using Values = llvm::DenseSet<ValueId>;

void collectUses(const Statement &s, Values &uses) {
  s.forEachUse([&](ValueId value) { uses.insert(value); });
  for (const Sequence &child : s.children)
    for (const Statement &inner : child)
      collectUses(inner, uses);
}

void eraseResults(const Statement &s, Values &values) {
  values.erase(s.result);
  for (const Sequence &child : s.children)
    for (const Statement &inner : child)
      eraseResults(inner, values);
}

/// The values from outside that a loop uses.
std::vector<ValueId> usesOf(const Statement &loop) {
  Values uses;
  collectUses(loop, uses);
  eraseResults(loop, uses);
  std::vector<ValueId> sorted(uses.begin(), uses.end());
  std::ranges::sort(sorted);
  return sorted;
}

class Scopes {
public:
  explicit Scopes(PhaseModel &program) : p(program) {}

  void find(Sequence &statements) {
    for (Statement &s : statements) {
      for (Sequence &child : s.children)
        find(child);
      if (s.kind == Kind::loop)
        s.uses = usesOf(s);
    }
    std::vector<Values> uses(statements.size());
    for (size_t i = 0; i < statements.size(); ++i)
      collectUses(statements[i], uses[i]);
    for (size_t i = statements.size(); i-- > 0;) {
      Statement &s = statements[i];
      s.scope = i + 1;
      if (const ValueId value = splitBy(s); value >= 0)
        s.scope = lastDependent(statements, uses, i, value) + 1;
      // The scopes within are whole.
      for (size_t inner = i + 1; inner < s.scope; ++inner)
        s.scope = std::max(s.scope, statements[inner].scope);
    }
  }

private:
  /// The value whose options may be explored one by one from this statement on; -1: none.
  ValueId splitBy(const Statement &s) const {
    if (s.kind == Kind::branch)
      return s.a;
    return s.kind == Kind::slot || (s.kind < Kind::slot && p.boundStep[s.result] > 0) ? s.result
                                                                                      : -1;
  }

  size_t lastDependent(const Sequence &statements, const std::vector<Values> &uses, size_t from,
                       ValueId value) const {
    Values dependents;
    dependents.insert(value);
    size_t last = from;
    for (size_t at = from + 1; at < statements.size(); ++at) {
      if (llvm::none_of(uses[at], [&](ValueId used) { return dependents.contains(used); }))
        continue;
      last = at;
      if (statements[at].kind <= Kind::slot)
        dependents.insert(statements[at].result);
    }
    return last;
  }

  PhaseModel &p;
};

} // namespace

void findScopes(PhaseModel &program) { Scopes(program).find(program.body); }

} // namespace mmk::sync
