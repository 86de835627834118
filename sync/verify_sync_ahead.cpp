// How far the loops of a phase look ahead. A comparison with a loop's bound is of its counter, or
// of the counter of a later iteration, whose transfers run ahead. From this many iterations before
// the end on, such comparisons have other results than before, and iterations are followed one by
// one.
#include "sync/verify_sync_model.h"
#include "sync/verify_sync_number.h"

namespace mmk::sync {
namespace {

class Ahead {
public:
  explicit Ahead(PhaseModel &program) : p(program) {}

  void visit(const Sequence &statements) {
    for (const Statement &s : statements) {
      if (s.kind == Kind::constant)
        constants[s.result] = s.number;
      else if (s.kind == Kind::loop)
        counters[s.result] = {s.number, 0};
      else if (s.kind == Kind::add)
        for (auto [counter, distance] : {std::pair(s.a, s.b), std::pair(s.b, s.a)})
          if (counters.contains(counter) && constants.contains(distance)) {
            const auto [step, offset] = counters.lookup(counter);
            counters[s.result] = {step, offset + constants.lookup(distance)};
          }
      if (s.kind == Kind::compare || s.kind == Kind::subtract)
        for (const ValueId value : {s.a, s.b})
          if (const auto found = counters.find(value); found != counters.end())
            p.ahead = std::max(p.ahead, ceilDiv(found->second.second, found->second.first) + 1);
      for (const Sequence &child : s.children)
        visit(child);
    }
  }

private:
  PhaseModel &p;
  llvm::DenseMap<ValueId, int64_t> constants;
  /// Counters of loops plus a constant: the loop's step, and the constant.
  llvm::DenseMap<ValueId, std::pair<int64_t, int64_t>> counters;
};

} // namespace

void findAhead(PhaseModel &program) { Ahead(program).visit(program.body); }

} // namespace mmk::sync
