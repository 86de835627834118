#include "sync/redundant_flags.h"

#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;

namespace mmk::sync {
namespace {

/// All operations of flags that one operation uses together (the slots of one buffer).
struct WholeFlag {
  FlagGroup ops;
  llvm::DenseSet<unsigned> flags;
};

struct Candidates {
  std::vector<FlagGroup> pairs; ///< a set with the wait behind it in its block; a barrier
  std::vector<WholeFlag> whole;
};

class Collector {
public:
  explicit Collector(const PhaseModel &program) : program(program), host(program.flags.size()) {
    std::iota(host.begin(), host.end(), 0);
  }

  Candidates run() {
    join(program.body);
    collect(program.body);
    for (auto &[flag, group] : byHost)
      found.whole.push_back(std::move(group));
    return std::move(found);
  }

private:
  // The program passed the proof, but some code may be unreachable.
  static bool takesFlags(const Statement &s) {
    return !s.flags.empty() && !llvm::is_contained(s.flags, noFlag);
  }
  unsigned hostOf(unsigned flag) const {
    while (host[flag] != flag)
      flag = host[flag];
    return flag;
  }

  void join(const Sequence &statements) {
    for (const Statement &s : statements) {
      for (const Sequence &child : s.children)
        join(child);
      if (takesFlags(s))
        for (unsigned flag : s.flags)
          host[hostOf(flag)] = hostOf(s.flags[0]);
    }
  }

  void collect(const Sequence &statements) {
    const Statement *open = nullptr;
    for (const Statement &s : statements) {
      for (const Sequence &child : s.children)
        collect(child);
      if (s.kind == Kind::barrier)
        found.pairs.push_back({s.op});
      if (!takesFlags(s))
        continue;
      WholeFlag &group = byHost[hostOf(s.flags[0])];
      group.ops.push_back(s.op);
      group.flags.insert(s.flags.begin(), s.flags.end());
      if (s.kind == Kind::setFlag || s.kind == Kind::setCross)
        open = &s;
      else if (open && open->flags == s.flags && open->a == s.a)
        found.pairs.push_back({open->op, s.op});
    }
  }

  const PhaseModel &program;
  std::vector<unsigned> host;
  llvm::MapVector<unsigned, WholeFlag> byHost;
  Candidates found;
};

/// Whether other flags lead from the sets of these flags to their waits.
bool otherWayExists(const PhaseModel &program, const WholeFlag &group) {
  llvm::DenseSet<unsigned> reached, goals;
  for (unsigned flag : group.flags) {
    reached.insert(program.flags[flag].setters.begin(), program.flags[flag].setters.end());
    goals.insert(program.flags[flag].waiters.begin(), program.flags[flag].waiters.end());
  }
  for (bool grows = true; grows;) {
    grows = false;
    for (auto [number, flag] : llvm::enumerate(program.flags))
      if (!group.flags.contains(number) &&
          llvm::any_of(flag.setters, [&](unsigned pipe) { return reached.contains(pipe); }))
        for (unsigned pipe : flag.waiters)
          grows |= reached.insert(pipe).second;
  }
  return llvm::any_of(goals, [&](unsigned pipe) { return reached.contains(pipe); });
}

/// Finds the groups that can be left out, one after the other, each together with those before it.
class Prover {
public:
  Prover(const PhaseModel &program, const std::vector<FlagGroup> &candidates)
      : program(program), candidates(candidates) {}

  // Nearly all that no short path needs are redundant. So they are proven together; where that
  // fails, a binary search finds the first that is not redundant by this proof, and the exact one
  // decides over it.
  std::vector<FlagGroup> run() {
    for (size_t next = 0;;) {
      const std::vector<size_t> left = unneededOnShortPaths(next);
      size_t holds = 0, fails = left.size() + 1;
      for (size_t most = left.size(); holds + 1 < fails; most = (holds + fails) / 2)
        (holdsMerged(program, withoutAlso(left, most)) ? holds : fails) = most;
      const size_t first = holds;
      if (first == left.size()) {
        take(left, first);
        return std::move(found);
      }
      const Verdict verdict = explore(program, withoutAlso(left, first + 1));
      take(left, verdict == Verdict::holds ? first + 1 : first);
      // Exceeding the limit takes seconds, and would again for each other group.
      if (verdict == Verdict::unknown)
        return std::move(found);
      next = left[first] + 1;
    }
  }

private:
  using Operations = llvm::DenseSet<Operation *>;

  std::vector<size_t> unneededOnShortPaths(size_t from) const {
    std::vector<size_t> unneeded;
    Operations fewer = without;
    for (size_t i = from; i < candidates.size(); ++i) {
      Operations next = fewer;
      next.insert(candidates[i].begin(), candidates[i].end());
      if (next.size() == fewer.size() || breaksOnShortPath(program, next))
        continue;
      unneeded.push_back(i);
      fewer = std::move(next);
    }
    return unneeded;
  }

  /// What is left out with the first `number` of these, too.
  Operations withoutAlso(const std::vector<size_t> &these, size_t number) const {
    Operations fewer = without;
    for (size_t i = 0; i < number; ++i)
      fewer.insert(candidates[these[i]].begin(), candidates[these[i]].end());
    return fewer;
  }

  void take(const std::vector<size_t> &these, size_t number) {
    for (size_t i = 0; i < number; ++i) {
      FlagGroup fresh;
      for (Operation *op : candidates[these[i]])
        if (without.insert(op).second)
          fresh.push_back(op);
      found.push_back(std::move(fresh));
    }
  }

  const PhaseModel &program;
  const std::vector<FlagGroup> &candidates;
  Operations without;
  std::vector<FlagGroup> found;
};

} // namespace

std::vector<FlagGroup> provenRedundant(const PhaseModel &program,
                                       const std::vector<FlagGroup> &candidates) {
  return Prover(program, candidates).run();
}

std::vector<FlagGroup> wholeFlags(const PhaseModel &program) {
  std::vector<FlagGroup> all;
  for (WholeFlag &group : Collector(program).run().whole)
    all.push_back(std::move(group.ops));
  return all;
}

namespace {

/// Whether the two are a flag from one pipe to another and one back.
bool areOpposite(Operation *x, Operation *y) {
  auto ends = [](Operation *op) -> std::tuple<bool, aicore::Unit, int, int> {
    auto within = [&](auto flag) {
      return std::tuple(false, aicore::unitOf(op), static_cast<int>(flag.getFrom()),
                        static_cast<int>(flag.getTo()));
    };
    if (auto set = dyn_cast<aicore::SetFlagOp>(op))
      return within(set);
    if (auto wait = dyn_cast<aicore::WaitFlagOp>(op))
      return within(wait);
    const bool toCube =
        isa<aicore::SetCrossOp>(op) == (aicore::unitOf(op) == aicore::Unit::vector_core);
    return {true, aicore::Unit::cube_core, toCube, !toCube};
  };
  auto [isCross, unit, from, to] = ends(x);
  return ends(y) == std::tuple(isCross, unit, to, from);
}

} // namespace

// A flag that is set once an iteration needs a flag back, or it may be set again too early: two
// that no hazard needs can be each other's, and are removed together or not at all.
std::vector<FlagGroup> redundantFlags(const PhaseModel &program) {
  Candidates candidates = Collector(program).run();
  std::vector<FlagGroup> all = std::move(candidates.pairs);
  for (WholeFlag &group : candidates.whole)
    all.push_back(std::move(group.ops));
  std::vector<FlagGroup> found = provenRedundant(program, all);
  llvm::DenseSet<Operation *> without;
  for (const FlagGroup &group : found)
    without.insert(group.begin(), group.end());
  auto isThere = [&](const FlagGroup &group) {
    return llvm::none_of(
        group, [&](Operation *op) { return without.contains(op) || isa<aicore::BarrierOp>(op); });
  };
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size() && isThere(all[i]); ++j) {
      if (!isThere(all[j]) || !areOpposite(all[i].front(), all[j].front()))
        continue;
      llvm::DenseSet<Operation *> fewer = without;
      fewer.insert(all[i].begin(), all[i].end());
      fewer.insert(all[j].begin(), all[j].end());
      if (breaksWithout(program, fewer) != Verdict::holds)
        continue;
      FlagGroup both = all[i];
      llvm::copy_if(all[j], std::back_inserter(both),
                    [&](Operation *op) { return !llvm::is_contained(all[i], op); });
      found.push_back(std::move(both));
      without = std::move(fewer);
    }
  return found;
}

std::vector<FlagGroup> impliedFlags(const PhaseModel &program) {
  std::vector<FlagGroup> all;
  for (WholeFlag &group : Collector(program).run().whole) {
    const bool isOutsideOfLoops = llvm::none_of(
        group.ops, [](Operation *op) { return bool(op->getParentOfType<scf::ForOp>()); });
    if (isOutsideOfLoops || otherWayExists(program, group))
      all.push_back(std::move(group.ops));
  }
  return provenRedundant(program, all);
}

} // namespace mmk::sync
