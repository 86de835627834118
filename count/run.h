// The interpreter of a count::CountProgram. `Core` defines the effect of an instruction: one core
// times a block, another measures the traffic of the block.
#pragma once

#include "count/program.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mmk::count {

/// The end of a run: after the last step, or at one that failed.
struct RunEnd {
  bool finished = true;
  size_t step = 0;
  const char *reason = nullptr; ///< null when the core stopped the run
};

/// Quotient and remainder, cut towards zero. Most are of small numbers, which divide faster.
struct Quotient {
  int64_t quotient = 0, remainder = 0;
  /// Whether floor (of a negative) or ceiling (of a positive quotient) differs from truncation.
  bool isRounded(bool negative, int64_t x, int64_t y) const {
    return remainder != 0 && ((x < 0) != (y < 0)) == negative;
  }
};

inline bool divide(int64_t x, int64_t y, Quotient &result) {
  const auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
  if (y == 0 || (y == -1 && x == std::numeric_limits<int64_t>::min()))
    return false;
  if ((ux | uy) >> 32 == 0)
    result = {static_cast<uint32_t>(ux) / static_cast<uint32_t>(uy),
              static_cast<uint32_t>(ux) % static_cast<uint32_t>(uy)};
  else
    result = {x / y, x % y};
  return true;
}

/// Does an arithmetic step; it wraps as machine integers do. False where arith has no value.
///
/// Long: a case for each operation.
inline bool evaluate(const Step &s, int64_t *value) {
  const int64_t x = value[s.a], y = value[s.b];
  const auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
  Quotient q;
  int64_t &result = value[s.target];
  switch (s.kind) {
  case StepKind::copy:
    result = x;
    return true;
  case StepKind::negate:
    result = static_cast<int64_t>(-ux);
    return true;
  case StepKind::add:
    result = static_cast<int64_t>(ux + uy);
    return true;
  case StepKind::subtract:
    result = static_cast<int64_t>(ux - uy);
    return true;
  case StepKind::multiply:
    result = static_cast<int64_t>(ux * uy);
    return true;
  case StepKind::divide:
  case StepKind::ceilDivide:
  case StepKind::floorDivide:
    if (!divide(x, y, q))
      return false;
    result = q.quotient;
    if (s.kind == StepKind::ceilDivide)
      result += q.isRounded(/*negative=*/false, x, y);
    if (s.kind == StepKind::floorDivide)
      result -= q.isRounded(/*negative=*/true, x, y);
    return true;
  case StepKind::remainder:
    if (!divide(x, y, q))
      return false;
    result = q.remainder;
    return true;
  case StepKind::minimum:
    result = std::min(x, y);
    return true;
  case StepKind::maximum:
    result = std::max(x, y);
    return true;
  case StepKind::minimumUnsigned:
    result = static_cast<int64_t>(std::min(ux, uy));
    return true;
  case StepKind::maximumUnsigned:
    result = static_cast<int64_t>(std::max(ux, uy));
    return true;
  case StepKind::bitAnd:
    result = x & y;
    return true;
  case StepKind::bitOr:
    result = x | y;
    return true;
  case StepKind::bitXor:
    result = x ^ y;
    return true;
  case StepKind::shiftLeft:
    return uy < 64 && (result = static_cast<int64_t>(ux << uy), true);
  case StepKind::shiftRight:
    return uy < 64 && (result = x >> y, true);
  case StepKind::equal:
    result = x == y;
    return true;
  case StepKind::notEqual:
    result = x != y;
    return true;
  case StepKind::less:
    result = x < y;
    return true;
  case StepKind::lessEqual:
    result = x <= y;
    return true;
  case StepKind::lessUnsigned:
    result = ux < uy;
    return true;
  case StepKind::lessEqualUnsigned:
    result = ux <= uy;
    return true;
  case StepKind::select:
    result = x ? y : value[s.c];
    return true;
  default:
    return false;
  }
}

inline int64_t stepsOf(int64_t extent, int64_t step) { return (extent + step - 1) / step; }

/// Rows and amount of work of an instruction, the arguments of its Cost; for a transfer also its
/// first byte in the tensor.
struct Amount {
  int64_t rows = 0, amount = 0, start = 0;
  // Of a transfer:
  int64_t end = 0; ///< behind its last byte in the tensor
  /// Bytes of a piece that is contiguous, from one such piece to the next, and their number.
  int64_t run = 0, pitch = 0, runs = 0;
};

/// The instructions of a scan. Those along columns go by rows of the tile's transpose, as a shift
/// within a row is not aligned.
template <typename Execute>
bool forEachSum(const Instruction &it, int64_t rows, int64_t columns, Execute execute) {
  const int32_t add = it.firstCost, copy = add + 1;
  if (it.byRows) {
    for (int64_t row = 0; row < rows; ++row)
      if (!execute(add, columns))
        return false;
    return true;
  }
  for (int i = 0; i < 2; ++i)
    if (!execute(copy, rows * columns))
      return false;
  if (!execute(add, rows)) // the carry
    return false;
  for (int64_t shift = 1; shift < columns; shift *= 2)
    if (!execute(add, rows * (columns - shift)))
      return false;
  return true;
}

/// Calls `execute` with the number of a cost and the elements that it is of, for each instruction
/// of a reduction, until that returns false. A tile with nothing to combine is copied.
template <typename Execute>
bool forEachStep(const Instruction &it, int64_t rows, int64_t columns, Execute execute) {
  int64_t count = it.byRows ? rows : columns;
  const int64_t wide = it.byRows ? columns : rows;
  int32_t halves = it.firstCost;
  if (it.tree == Tree::scan)
    return forEachSum(it, rows, columns, execute);
  if (count <= 1)
    return execute(halves, wide);
  if (it.tree == Tree::blocks) {
    for (; count > 1; count = stepsOf(count, 8))
      if (!execute(it.firstCost, wide * stepsOf(count, 8) * 8))
        return false;
    return true;
  }
  if (it.tree == Tree::registers)
    return execute(it.firstCost,
                   it.byRows ? rows * columns
                             : wide * stepsOf(count, registerElements) * registerElements) &&
           (it.byRows || execute(it.firstCost + 1, wide));
  if (it.tree == Tree::groups) {
    if (!execute(halves++, wide * stepsOf(count, 64) * 64))
      return false;
    count = stepsOf(count, 64);
  }
  for (; count > 1; count -= count / 2)
    for (int32_t cost = halves; cost < it.firstCost + it.costs; ++cost)
      if (!execute(cost, count / 2 * wide))
        return false;
  return true;
}

/// How many lines of a data cache as many elements are in.
inline int64_t linesOf(const Instruction &it, int64_t start, int64_t pitch, int64_t count) {
  if (count <= 0 || pitch * it.bytes >= it.lineBytes)
    return count;
  const int64_t last = start + (count - 1) * pitch;
  return last * it.bytes / it.lineBytes - start * it.bytes / it.lineBytes + 1;
}

/// Ends of lines of `length` pixels inside of fractals of `step` pixels, among `count` pixels from
/// `first` of a line on.
inline int64_t endsInside(int64_t count, int64_t first, int64_t length, int64_t step) {
  int64_t ends = 0;
  if (length > 0)
    for (int64_t end = length - first % length; end < count; end += length)
      ends += end % step != 0;
  return ends;
}

inline Amount amountOf(const CountProgram &program, const Step &s, const int64_t *value) {
  const Instruction &i = program.instructions[s.target];
  const int64_t rows = value[i.rows], columns = value[i.columns];
  switch (s.kind) {
  case StepKind::scalars:
    return {linesOf(i, value[i.start], value[i.pitch], rows), rows};
  case StepKind::transfer: {
    const int64_t start = value[i.start] * i.bytes, distance = value[i.pitch] * i.bytes;
    const bool onePiece = i.dense && columns == value[i.pitch];
    return {i.charge.requests(rows, start, distance, columns * i.bytes, program.packet,
                              i.link->requestBytes),
            onePiece ? chargedBytes(start, rows * columns * i.bytes, program.packet)
                     : i.charge.bytes(rows, start, distance, columns * i.bytes, program.packet),
            start,
            start + std::max<int64_t>(0, rows - 1) * distance + columns * i.bytes,
            onePiece ? rows * columns * i.bytes : columns * i.bytes,
            onePiece ? 0 : distance,
            onePiece ? 1 : rows};
  }
  case StepKind::move: {
    const int64_t whole = stepsOf(rows, i.rowStep) * i.rowStep;
    return {whole, whole * stepsOf(columns, i.columnStep) * i.columnStep * i.bytes};
  }
  case StepKind::windows: {
    const int64_t fractals = stepsOf(rows, i.rowStep), deep = stepsOf(columns, i.columnStep);
    const double cycles =
        fractals * i.fractalCycles +
        endsInside(rows, value[i.start], value[i.pitch], i.rowStep) * i.lineCycles;
    return {static_cast<int64_t>(std::ceil(deep * cycles)),
            fractals * i.rowStep * deep * i.columnStep * i.bytes};
  }
  case StepKind::product:
    return {0, stepsOf(rows, i.rowStep) * stepsOf(columns, i.columnStep) *
                   stepsOf(value[i.depth], i.depthStep)};
  default:
    return {0, rows * columns};
  }
}

/// The decision of a core on a loop.
enum class LoopAction { interpret, done, stop };

/// Interprets the steps of one block; `values` starts as a copy of the program's, with the number
/// of the block. `Core` has `execute(unit, pipe, instruction, cost, amount)`, and for flags the
/// calls of BlockClock; each returns false to stop. A core that need not execute every iteration
/// also has `LoopAction enter(Interpreter &, const Loop &)`, which is called before the first
/// iteration of a loop, if any; and one with `at(step, values)` is called before each step.
template <typename Core> class Interpreter {
public:
  Interpreter(const CountProgram &program, std::vector<int64_t> &values, Core &core)
      : program_(program), values_(values), value_(values.data()), core_(core) {}

  /// Runs the steps from `from` up to `to`; false when it had to stop, see `end`.
  bool steps(size_t from, size_t to);
  /// One iteration of a loop.
  bool body(const Loop &loop) { return steps(loop.enter + 1, loop.next); }
  /// Advances to the next iteration of a loop; false if there is none.
  bool advance(const Loop &loop) {
    const Step &next = program_.steps[loop.next];
    value_[next.a] += value_[next.b];
    return value_[next.a] < value_[next.c];
  }
  /// The condition for every loop to end.
  bool hasPositiveStep(const Loop &loop) const { return value_[program_.steps[loop.next].b] > 0; }

  const RunEnd &end() const { return end_; }
  int64_t value(int32_t place) const { return value_[place]; }
  std::vector<int64_t> &values() { return values_; }

  unsigned unit = 0; ///< the core of the block that executes the next step

private:
  bool stop(size_t step, const char *reason = nullptr) {
    end_ = {false, step, reason};
    return false;
  }

  const CountProgram &program_;
  std::vector<int64_t> &values_;
  int64_t *value_;
  Core &core_;
  RunEnd end_;
};

// Long: the dispatch loop, a case for each kind of step; calls would slow counting down.
template <typename Core> bool Interpreter<Core>::steps(size_t from, size_t to) {
  int64_t *const value = value_;
  size_t pc = from;
  while (pc < to) {
    const Step &s = program_.steps[pc];
    if (s.kind <= StepKind::select) {
      if (!evaluate(s, value))
        return stop(pc, "has no value: it divides by zero, or shifts too far");
      ++pc;
      continue;
    }
    size_t following = pc + 1;
    const size_t target = s.target;
    bool goesOn = true;
    if constexpr (requires { core_.at(pc, value); })
      core_.at(pc, value);
    switch (s.kind) {
    case StepKind::jump:
      following = target;
      break;
    case StepKind::jumpUnless:
      if (!value[s.a])
        following = target;
      break;
    case StepKind::loop:
      value[s.a] = value[s.b];
      if (value[s.a] >= value[s.c]) {
        following = target;
      } else if constexpr (requires(const Loop &loop) { core_.enter(*this, loop); }) {
        const LoopAction action = core_.enter(*this, program_.loops[program_.loopsAt[pc]]);
        if (action == LoopAction::stop)
          return end_.finished ? stop(pc) : false;
        if (action == LoopAction::done)
          following = target;
      }
      break;
    case StepKind::next:
      if (value[s.b] <= 0)
        return stop(pc, "has a step that is not positive");
      value[s.a] += value[s.b];
      if (value[s.a] < value[s.c])
        following = target;
      break;
    case StepKind::least:
    case StepKind::greatest: {
      const Instruction &i = program_.instructions[s.c];
      value[s.target] = extremesOf(i.elements, value[i.start], value[i.pitch], value[i.rows],
                                   i.absent)[s.kind == StepKind::greatest];
      break;
    }
    case StepKind::enterCores:
      value[s.a] = 0;
      unit = 1;
      break;
    case StepKind::nextCore:
      unit = ++value[s.a] < s.b ? unit + 1 : 0;
      if (unit)
        following = target;
      break;
    case StepKind::transfer:
    case StepKind::move:
    case StepKind::windows:
    case StepKind::scalars:
    case StepKind::product: {
      const Instruction &i = program_.instructions[target];
      goesOn = core_.execute(unit, s.pipe, i, i.cost, amountOf(program_, s, value));
      break;
    }
    case StepKind::vector: {
      const Instruction &i = program_.instructions[target];
      const Amount amount = amountOf(program_, s, value);
      for (int32_t c = 0; c < i.costs && goesOn; ++c)
        goesOn = core_.execute(unit, s.pipe, i, program_.vectorCosts[i.firstCost + c], amount);
      break;
    }
    case StepKind::reduce: {
      const Instruction &i = program_.instructions[target];
      goesOn = forEachStep(i, value[i.rows], value[i.columns], [&](int32_t cost, int64_t amount) {
        return core_.execute(unit, s.pipe, i, program_.vectorCosts[cost], Amount{0, amount});
      });
      break;
    }
    case StepKind::setFlag:
      goesOn = core_.setFlag(unit, s.pipe, s.to, s.target + value[s.a]);
      break;
    case StepKind::waitFlag:
      goesOn = core_.waitFlag(unit, s.pipe, s.to, s.target + value[s.a]);
      break;
    case StepKind::setCross:
      goesOn = core_.setCross(unit, s.pipe, s.target + value[s.a]);
      break;
    case StepKind::waitCross:
      goesOn = core_.waitCross(unit, s.pipe, s.target + value[s.a]);
      break;
    case StepKind::barrier:
      goesOn = core_.barrier(unit, s.pipe);
      break;
    case StepKind::barrierOfAll:
      goesOn = core_.barrier(unit, std::nullopt);
      break;
    default:
      break;
    }
    if (!goesOn)
      return stop(pc);
    pc = following;
  }
  return true;
}

/// Runs one block from the first step to the last.
template <typename Core>
RunEnd run(const CountProgram &program, std::vector<int64_t> &values, int64_t block, Core &core) {
  values = program.values;
  values[program.block] = block;
  Interpreter<Core> interpreter(program, values, core);
  interpreter.steps(0, program.steps.size());
  return interpreter.end();
}

} // namespace mmk::count
