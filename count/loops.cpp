// Finds the values that the work of a loop depends on, backwards from its extents, flags and
// branches. Two runs of a loop with equal values do the same work in the same time, at any
// addresses, so one of them need not be interpreted.
#include "count/program.h"

#include <numeric>
#include <optional>

namespace mmk::count {
namespace {

/// The part of a value that matters: nothing (1), its remainder by a number, or all of it (0).
constexpr int64_t nothing = 1, everything = 0;
/// Remainders by larger numbers hardly ever repeat.
constexpr int64_t largestModulus = 1 << 16;

int64_t together(int64_t x, int64_t y) {
  if (x == everything || y == everything)
    return everything;
  const int64_t both = std::lcm(x, y);
  return both > largestModulus ? everything : both;
}

bool isArithmetic(const Step &step) { return step.kind <= StepKind::select; }

/// The place written by a step, or -1.
int32_t written(const Step &step) {
  switch (step.kind) {
  case StepKind::loop:
  case StepKind::next:
  case StepKind::enterCores:
  case StepKind::nextCore:
    return step.a;
  case StepKind::least:
  case StepKind::greatest:
    return step.target;
  default:
    return isArithmetic(step) ? step.target : -1;
  }
}

/// Calls `use(place, modulus)` for each place that a step reads, if `modulus` of its result
/// matters.
class Reads {
public:
  explicit Reads(const CountProgram &program)
      : program_(program), variable_(program.values.size()), natural_(program.values.size()) {
    variable_[program.block] = true;
    for (const Step &step : program.steps)
      if (const int32_t place = written(step); place >= 0)
        variable_[place] = true;
    findNaturals();
  }

  bool isVariable(int32_t place) const { return variable_[place]; }

  template <typename Use> void of(const Step &step, int64_t modulus, Use use) const {
    switch (step.kind) {
    case StepKind::jump:
    case StepKind::enterCores:
    case StepKind::nextCore:
    case StepKind::barrier:
    case StepKind::barrierOfAll:
      return;
    case StepKind::jumpUnless:
    case StepKind::setFlag:
    case StepKind::waitFlag:
    case StepKind::setCross:
    case StepKind::waitCross:
      return use(step.a, everything);
    case StepKind::loop:
      use(step.b, everything);
      return use(step.c, everything);
    case StepKind::next:
      use(step.a, everything);
      use(step.b, everything);
      return use(step.c, everything);
    case StepKind::least:
    case StepKind::greatest:
      if (modulus != nothing)
        ofScalars(program_.instructions[step.c], use);
      return;
    case StepKind::scalars:
      return ofScalars(program_.instructions[step.target], use);
    case StepKind::transfer:
    case StepKind::move:
    case StepKind::windows:
    case StepKind::product:
    case StepKind::vector:
    case StepKind::reduce:
      return ofInstruction(step, use);
    default:
      return ofArithmetic(step, modulus, use);
    }
  }

private:
  std::optional<int64_t> constant(int32_t place) const {
    return variable_[place] ? std::nullopt : std::optional(program_.values[place]);
  }

  /// Each element may differ from all others.
  template <typename Use> void ofScalars(const Instruction &it, Use use) const {
    use(it.rows, everything);
    use(it.pitch, everything);
    use(it.start, everything);
  }

  template <typename Use> void ofInstruction(const Step &step, Use use) const {
    const Instruction &it = program_.instructions[step.target];
    use(it.rows, everything);
    use(it.columns, everything);
    if (step.kind == StepKind::product)
      use(it.depth, everything);
    if (step.kind == StepKind::windows) {
      use(it.start, everything);
      use(it.pitch, everything);
    }
    if (step.kind != StepKind::transfer)
      return;
    use(it.pitch, everything);
    // Of the start address, its offset in a packet; for rows that start at varying offsets, the
    // offset modulo the distance of these.
    int64_t startStep = program_.packet;
    const std::optional<int64_t> pitch = constant(it.pitch);
    if (pitch && !(it.dense && *pitch <= it.mostColumns))
      startStep = std::gcd(*pitch * it.bytes, program_.packet);
    use(it.start, startStep / std::gcd(startStep, it.bytes));
  }

  template <typename Use> void ofArithmetic(const Step &step, int64_t modulus, Use use) const {
    const std::optional<int64_t> x = constant(step.a), y = constant(step.b);
    switch (step.kind) {
    case StepKind::copy:
    case StepKind::negate:
      return use(step.a, modulus);
    case StepKind::add:
    case StepKind::subtract:
      use(step.a, modulus);
      return use(step.b, modulus);
    case StepKind::multiply:
      use(step.a, shared(modulus, y));
      return use(step.b, shared(modulus, x));
    case StepKind::remainder:
      if (y && *y > 0 && natural_[step.a] && modulus != nothing)
        return use(step.a, *y <= largestModulus ? *y : everything);
      return ofDivision(step, modulus, y, use);
    case StepKind::divide:
      if (y && *y > 0 && natural_[step.a] && modulus > nothing && *y <= largestModulus / modulus)
        return use(step.a, *y * modulus);
      return ofDivision(step, modulus, y, use);
    case StepKind::ceilDivide:
    case StepKind::floorDivide:
      return ofDivision(step, modulus, y, use);
    case StepKind::shiftLeft:
    case StepKind::shiftRight:
      if (modulus == nothing && y && *y >= 0 && *y < 64)
        return;
      use(step.a, everything);
      return use(step.b, everything);
    default:
      if (modulus == nothing)
        return;
      use(step.a, everything);
      if (step.kind != StepKind::select)
        return use(step.b, everything);
      use(step.b, modulus);
      return use(step.c, modulus);
    }
  }

  /// An undefined division ends the run, so the divisor matters even where the quotient does not.
  template <typename Use>
  void ofDivision(const Step &step, int64_t modulus, std::optional<int64_t> divisor,
                  Use use) const {
    if (modulus == nothing && divisor && *divisor > 0)
      return;
    use(step.a, everything);
    use(step.b, everything);
  }

  /// The part of a factor that matters; `factor` is the other one, if known.
  static int64_t shared(int64_t modulus, std::optional<int64_t> factor) {
    if (modulus == everything || !factor)
      return modulus;
    return modulus / std::gcd(modulus, *factor);
  }

  /// The places that never hold a negative number: all, until a step may write one.
  void findNaturals() {
    for (size_t place = 0; place < natural_.size(); ++place)
      natural_[place] = program_.values[place] >= 0 || variable_[place];
    for (bool changed = true; changed;) {
      changed = false;
      for (const Step &step : program_.steps)
        if (const int32_t place = written(step);
            place >= 0 && natural_[place] && !writesNatural(step)) {
          natural_[place] = false;
          changed = true;
        }
    }
  }

  bool writesNatural(const Step &step) const {
    const bool a = natural_[step.a], b = natural_[step.b];
    switch (step.kind) {
    case StepKind::negate:
    case StepKind::subtract:
    case StepKind::bitXor:
    case StepKind::shiftLeft:
    case StepKind::least:
    case StepKind::greatest:
      return false;
    case StepKind::copy:
    case StepKind::remainder:
    case StepKind::shiftRight:
      return a;
    case StepKind::bitAnd:
    case StepKind::maximum:
      return a || b;
    case StepKind::equal:
    case StepKind::notEqual:
    case StepKind::less:
    case StepKind::lessEqual:
    case StepKind::lessUnsigned:
    case StepKind::lessEqualUnsigned:
    case StepKind::enterCores:
    case StepKind::nextCore:
      return true;
    case StepKind::select:
      return b && natural_[step.c];
    case StepKind::loop:
      return b;
    default:
      return a && b;
    }
  }

  const CountProgram &program_;
  std::vector<bool> variable_, natural_;
};

/// The part of each place that matters for the steps from `from` to `to`, both included.
std::vector<int64_t> relevance(const CountProgram &program, const Reads &reads, size_t from,
                               size_t to) {
  std::vector<int64_t> matters(program.values.size(), nothing);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = to + 1; i-- > from;) {
      const Step &step = program.steps[i];
      const int32_t place = written(step);
      reads.of(step, place < 0 ? nothing : matters[place], [&](int32_t read, int64_t modulus) {
        const int64_t more = together(matters[read], modulus);
        changed |= more != matters[read];
        matters[read] = more;
      });
    }
  }
  return matters;
}

/// Decides whether a loop is closed, and finds the values that it depends on.
void close(const CountProgram &program, const Reads &reads, Loop &loop) {
  std::vector<bool> inside(program.values.size());
  for (size_t i = loop.enter; i <= loop.next; ++i)
    if (const int32_t place = written(program.steps[i]); place >= 0)
      inside[place] = true;
  // A value that is read before it is written comes from an earlier iteration.
  std::vector<bool> before = inside;
  auto check = [&](const Step &step) {
    reads.of(step, everything, [&](int32_t place, int64_t) { loop.closed &= !before[place]; });
  };
  for (size_t i = loop.enter; i <= loop.next; ++i) {
    check(program.steps[i]);
    if (const int32_t place = written(program.steps[i]); place >= 0)
      before[place] = false;
  }
  for (size_t i = 0; i < program.steps.size(); ++i)
    if (i < loop.enter || i > loop.next)
      reads.of(program.steps[i], everything,
               [&](int32_t place, int64_t) { loop.closed &= !inside[place]; });
  if (!loop.closed)
    return;
  const std::vector<int64_t> matters = relevance(program, reads, loop.enter, loop.next);
  for (size_t place = 0; place < matters.size(); ++place)
    if (matters[place] != nothing && !inside[place] && reads.isVariable(place))
      loop.influences.push_back({static_cast<int32_t>(place), matters[place]});
}

} // namespace

void findLoops(CountProgram &program) {
  const Reads reads(program);
  program.loopsAt.assign(program.steps.size(), -1);
  for (size_t i = 0; i < program.steps.size(); ++i)
    if (program.steps[i].kind == StepKind::loop) {
      // The step before its exit jumps back to its body.
      program.loopsAt[i] = program.loops.size();
      program.loops.push_back(
          {.enter = i, .next = size_t(program.steps[i].target) - 1, .influences = {}});
    }
  for (Loop &loop : program.loops) {
    for (const Loop &other : program.loops)
      loop.innermost &= !(loop.enter < other.enter && other.next < loop.next);
    for (size_t i = loop.enter; i < loop.next; ++i) {
      const StepKind kind = program.steps[i].kind;
      loop.staysOnItsCore &=
          kind != StepKind::enterCores && kind != StepKind::setCross && kind != StepKind::waitCross;
    }
    close(program, reads, loop);
  }
}

} // namespace mmk::count
