// The interpreter of a Program. It leaves to `Core` what an instruction does, so that the same
// walk times a block, or only finds out whether the block has work.
#pragma once

#include "codegen/count_program.h"

#include <algorithm>

namespace mmk::count {

/// Where a run ended: after the last step, or at one that could not be done.
struct RunEnd {
  bool finished = true;
  size_t step = 0;
  const char *reason = nullptr; ///< of the arithmetic; null when the core stopped the run
};

inline int64_t alignUp(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

/// Runs one block. `values` starts as a copy of the program's. `Core` has, each returning false to
/// stop: execute(unit, pipe, cycles, work), setFlag, waitFlag, setCross, waitCross and barrier, as
/// BlockClock has them.
template <typename Core>
RunEnd run(const Program &program, const GlobalMemory &memory, std::vector<int64_t> &values,
           Core &core) {
  int64_t *value = values.data();
  const Step *steps = program.steps.data();
  const size_t end = program.steps.size();
  unsigned unit = 0;

  for (size_t pc = 0; pc < end; ++pc) {
    const Step &s = steps[pc];
    auto stop = [&](const char *reason = nullptr) { return RunEnd{false, pc, reason}; };
    switch (s.kind) {
    case StepKind::copy:
      value[s.target] = value[s.a];
      break;
    case StepKind::add:
      value[s.target] = value[s.a] + value[s.b];
      break;
    case StepKind::sub:
      value[s.target] = value[s.a] - value[s.b];
      break;
    case StepKind::mul:
      value[s.target] = value[s.a] * value[s.b];
      break;
    case StepKind::divide:
    case StepKind::remainder:
    case StepKind::ceilDivide:
    case StepKind::floorDivide: {
      const int64_t x = value[s.a], y = value[s.b];
      if (y == 0)
        return stop("division by zero");
      const int64_t q = x / y, r = x % y;
      value[s.target] = s.kind == StepKind::divide       ? q
                        : s.kind == StepKind::remainder  ? r
                        : s.kind == StepKind::ceilDivide ? q + (r != 0 && (r < 0) == (y < 0))
                                                         : q - (r != 0 && (r < 0) != (y < 0));
      break;
    }
    case StepKind::min:
      value[s.target] = std::min(value[s.a], value[s.b]);
      break;
    case StepKind::max:
      value[s.target] = std::max(value[s.a], value[s.b]);
      break;
    case StepKind::minUnsigned:
      value[s.target] = std::min<uint64_t>(value[s.a], value[s.b]);
      break;
    case StepKind::maxUnsigned:
      value[s.target] = std::max<uint64_t>(value[s.a], value[s.b]);
      break;
    case StepKind::bitAnd:
      value[s.target] = value[s.a] & value[s.b];
      break;
    case StepKind::bitOr:
      value[s.target] = value[s.a] | value[s.b];
      break;
    case StepKind::bitXor:
      value[s.target] = value[s.a] ^ value[s.b];
      break;
    case StepKind::shiftLeft:
      value[s.target] = value[s.a] << (value[s.b] & 63);
      break;
    case StepKind::shiftRight:
      value[s.target] = value[s.a] >> (value[s.b] & 63);
      break;
    case StepKind::negate:
      value[s.target] = -value[s.a];
      break;
    case StepKind::equal:
      value[s.target] = value[s.a] == value[s.b];
      break;
    case StepKind::notEqual:
      value[s.target] = value[s.a] != value[s.b];
      break;
    case StepKind::less:
      value[s.target] = value[s.a] < value[s.b];
      break;
    case StepKind::lessEqual:
      value[s.target] = value[s.a] <= value[s.b];
      break;
    case StepKind::greater:
      value[s.target] = value[s.a] > value[s.b];
      break;
    case StepKind::greaterEqual:
      value[s.target] = value[s.a] >= value[s.b];
      break;
    case StepKind::lessUnsigned:
      value[s.target] = uint64_t(value[s.a]) < uint64_t(value[s.b]);
      break;
    case StepKind::lessEqualUnsigned:
      value[s.target] = uint64_t(value[s.a]) <= uint64_t(value[s.b]);
      break;
    case StepKind::greaterUnsigned:
      value[s.target] = uint64_t(value[s.a]) > uint64_t(value[s.b]);
      break;
    case StepKind::greaterEqualUnsigned:
      value[s.target] = uint64_t(value[s.a]) >= uint64_t(value[s.b]);
      break;
    case StepKind::select:
      value[s.target] = value[s.a] ? value[s.b] : value[s.c];
      break;

    // A jump is to just before the step that comes next.
    case StepKind::jump:
      pc = s.target - 1;
      break;
    case StepKind::jumpUnless:
      if (!value[s.a])
        pc = s.target - 1;
      break;
    case StepKind::loop:
      value[s.a] = value[s.b];
      if (value[s.a] >= value[s.c])
        pc = s.target - 1;
      break;
    case StepKind::next:
      if (value[s.b] <= 0)
        return stop("a loop that does not step up");
      value[s.a] += value[s.b];
      if (value[s.a] < value[s.c])
        pc = s.target - 1;
      break;
    case StepKind::enterCores:
      value[s.a] = 0;
      unit = 1;
      break;
    case StepKind::nextCore:
      if (++value[s.a] < s.b) {
        ++unit;
        pc = s.target - 1;
      } else {
        unit = 0;
      }
      break;

    case StepKind::transferStrided: {
      const Instruction &i = program.instructions[s.target];
      const int64_t rows = value[i.rows], columns = value[i.columns];
      const bool contiguous = i.dense && columns == value[i.pitch];
      const int64_t bytes = contiguous ? memory.charged(rows * columns * i.bytes)
                                       : rows * memory.charged(columns * i.bytes);
      if (!core.execute(unit, s.pipe, i.cost.cycles(rows, bytes), i.work))
        return stop();
      break;
    }
    case StepKind::transferFractal:
    case StepKind::transferPlain: {
      const Instruction &i = program.instructions[s.target];
      const int64_t rows = alignUp(value[i.rows], i.rowStep);
      const int64_t columns = alignUp(value[i.columns], i.columnStep);
      if (!core.execute(unit, s.pipe, i.cost.cycles(rows, rows * columns * i.bytes), i.work))
        return stop();
      break;
    }
    case StepKind::product: {
      const Instruction &i = program.instructions[s.target];
      auto steps = [&](int32_t extent, int64_t step) { return (value[extent] + step - 1) / step; };
      const int64_t amount =
          steps(i.rows, i.rowStep) * steps(i.columns, i.columnStep) * steps(i.depth, i.depthStep);
      if (!core.execute(unit, s.pipe, i.cost.cycles(0, amount), i.work))
        return stop();
      break;
    }
    case StepKind::vector: {
      const Instruction &i = program.instructions[s.target];
      const int64_t elements = value[i.rows] * value[i.columns];
      for (int32_t c = 0; c < i.costs; ++c)
        if (!core.execute(unit, s.pipe, program.vectorCosts[i.firstCost + c].cycles(0, elements),
                          i.work))
          return stop();
      break;
    }
    case StepKind::setFlag:
      if (!core.setFlag(unit, s.pipe, s.to, s.target + value[s.a]))
        return stop();
      break;
    case StepKind::waitFlag:
      if (!core.waitFlag(unit, s.pipe, s.to, s.target + value[s.a]))
        return stop();
      break;
    case StepKind::setCross:
      if (!core.setCross(unit, s.pipe, s.target + value[s.a]))
        return stop();
      break;
    case StepKind::waitCross:
      if (!core.waitCross(unit, s.pipe, s.target + value[s.a]))
        return stop();
      break;
    case StepKind::barrier:
      if (!core.barrier(unit, s.pipe))
        return stop();
      break;
    }
  }
  return {};
}

} // namespace mmk::count
