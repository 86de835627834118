// The modulus at which each number matters. The slot of a buffer is a number modulo its copies, so
// only the remainders of the numbers that it is computed from matter, each by its own modulus: a
// loop whose counter only selects one of two copies repeats after two iterations, whatever the
// copies of other buffers. One period for all would be the least common multiple of all copies, and
// nested loops would take powers of it to explore.
#include "sync/verify_sync_model.h"

#include <numeric>

namespace mmk::sync {
namespace {

/// Remainders by more than this are not followed; slots that need them are explored with every
/// value.
constexpr int64_t mostModulus = 1 << 16;

class Periods {
public:
  explicit Periods(PhaseModel &program) : p(program) {
    p.modulus.assign(p.values, 1);
    p.stepsModulus.assign(p.values, 1);
    constants.resize(p.values);
  }
  void run() {
    findConstants(p.body);
    visit(p.body);
    // In steps of one, a bound is the number of iterations itself.
    for (ValueId value = 0; value < static_cast<ValueId>(p.values); ++value)
      if (p.boundStep[value] == 1)
        raise(p.stepsModulus[value], p.modulus[value]);
  }

private:
  void findConstants(const Sequence &statements) {
    for (const Statement &s : statements) {
      if (s.kind == Kind::constant)
        constants[s.result] = s.number;
      for (const Sequence &child : s.children)
        findConstants(child);
    }
  }

  static void raise(int64_t &modulus, int64_t by) {
    if (const int64_t both = std::lcm(modulus, by); both <= mostModulus)
      modulus = both;
  }
  void need(ValueId value, int64_t modulus) { raise(p.modulus[value], modulus); }

  // From the end: all uses of a value come after it.
  void visit(const Sequence &statements) {
    for (auto s = statements.rbegin(); s != statements.rend(); ++s) {
      for (auto child = s->children.rbegin(); child != s->children.rend(); ++child)
        visit(*child);
      operands(*s);
    }
  }

  void operands(const Statement &s) {
    // A bound in steps of one is split by its remainders, whatever is known of them before.
    const bool isSplit = s.result >= 0 && s.kind != Kind::loop && p.boundStep[s.result] == 1;
    const int64_t modulus = s.result < 0 || isSplit ? 1 : p.modulus[s.result];
    switch (s.kind) {
    case Kind::slot:
      need(s.a, s.number);
      break;
    case Kind::select:
      need(s.b, modulus);
      need(s.c, modulus);
      break;
    case Kind::add:
    case Kind::subtract:
    case Kind::minimum:
    case Kind::maximum:
      need(s.a, modulus);
      need(s.b, modulus);
      break;
    case Kind::multiply:
      for (auto [value, factor] : {std::pair(s.a, s.b), std::pair(s.b, s.a)}) {
        const std::optional<int64_t> by = constants[factor];
        need(value, by ? modulus / std::gcd(modulus, *by) : modulus);
      }
      break;
    case Kind::divide:
      if (modulus > 1)
        need(s.a, modulus * s.number);
      break;
    case Kind::ceilDivide:
      if (modulus > 1)
        need(s.a, modulus * s.number);
      raise(p.stepsModulus[s.a], modulus);
      break;
    case Kind::remainder:
      if (modulus > 1)
        need(s.a, s.number);
      break;
    case Kind::loop:
      need(s.a, modulus);
      break;
    default:
      break;
    }
  }

  PhaseModel &p;
  std::vector<std::optional<int64_t>> constants; ///< by value
};

} // namespace

void findPeriods(PhaseModel &program) { Periods(program).run(); }

} // namespace mmk::sync
