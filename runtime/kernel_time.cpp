// Computes the report of a kernel from the times of its blocks: sums over phases, means over cores.
#include "runtime/clock.h"

#include <algorithm>
#include <cmath>

namespace mmk {

int64_t taskCycles(const Machine &machine, bool usesBothKinds) {
  const auto &mixed = machine.mixedTask;
  const double ofBoth = mixed.as == Machine::MixedTask::library ? mixed.library : mixed.handWritten;
  return std::llround(machine.megahertz * (usesBothKinds
                                               ? std::max(machine.taskMicroseconds, ofBoth)
                                               : machine.taskMicroseconds));
}

KernelTime::KernelTime(const Machine &machine, int64_t blocks)
    : machine_(machine), blocks_(blocks) {}

void KernelTime::add(int64_t block, const BlockTime &time) {
  end_ = std::max(end_, time.end);
  moved_ += time.moved;
  BlockTotal &total = blocks_[block];
  total.worked |= time.worked;
  total.busy.resize(std::max(total.busy.size(), time.busy.size()));
  for (size_t unit = 0; unit < time.busy.size(); ++unit)
    for (size_t pipe = 0; pipe < allPipes.size(); ++pipe)
      total.busy[unit][pipe] += time.busy[unit][pipe];
  total.cycles.resize(total.busy.size());
  for (size_t unit = 0; unit < time.ends.size(); ++unit)
    total.cycles[unit] += time.ends[unit] - start_;
}

void KernelTime::endPhase(int64_t least) { start_ = end_ = std::max(end_, least); }

bool KernelTime::usesBothKinds() const {
  std::array<bool, 2> uses{};
  for (const BlockTotal &block : blocks_)
    for (size_t unit = 0; unit < block.busy.size(); ++unit)
      for (Pipe pipe : allPipes)
        if (pipe != Pipe::scalar && block.busy[unit][static_cast<size_t>(pipe)] > 0)
          uses[unit > 0] = true;
  return uses[0] && uses[1];
}

ClockReport KernelTime::report() const {
  ClockReport report;
  report.usesBothKinds = usesBothKinds();
  report.taskCycles = taskCycles(machine_, report.usesBothKinds);
  const int64_t cycles = end_ + report.taskCycles;
  report.cycles = cycles;
  report.movedBytes = moved_;
  report.microseconds = cycles / machine_.megahertz;
  report.taskMicroseconds = report.taskCycles / machine_.megahertz;
  report.launchMicroseconds = machine_.launchMicroseconds;

  PipeCycles cube{}, vector{};
  int64_t vectorCores = 0;
  for (const BlockTotal &block : blocks_) {
    if (!block.worked)
      continue;
    ++report.cores;
    for (size_t unit = 0; unit < block.busy.size(); ++unit) {
      vectorCores += unit > 0;
      (unit == 0 ? report.cubeCoreCycles : report.vectorCoreCycles) += block.cycles[unit];
      for (size_t pipe = 0; pipe < allPipes.size(); ++pipe)
        (unit == 0 ? cube : vector)[pipe] += block.busy[unit][pipe];
    }
  }

  auto mean = [&](int64_t sum, int64_t count) {
    ClockReport::PipeTime time;
    if (count == 0 || cycles == 0)
      return time;
    time.busyCycles = (2 * sum + count) / (2 * count);
    time.busyMicroseconds = time.busyCycles / machine_.megahertz;
    time.ratio = static_cast<double>(time.busyCycles) / cycles;
    return time;
  };
  size_t busiest = static_cast<size_t>(report.bound);
  for (size_t pipe = 0; pipe < allPipes.size(); ++pipe) {
    report.cubeUnit[pipe] = mean(cube[pipe], report.cores);
    report.vectorUnits[pipe] = mean(vector[pipe], vectorCores);
    const bool onCube = report.cubeUnit[pipe].busyCycles >= report.vectorUnits[pipe].busyCycles;
    report.pipes[pipe] = onCube ? report.cubeUnit[pipe] : report.vectorUnits[pipe];
  }
  for (size_t pipe = 0; pipe < allPipes.size(); ++pipe)
    if (report.pipes[pipe].busyCycles > report.pipes[busiest].busyCycles)
      busiest = pipe;
  report.bound = allPipes[busiest];
  report.boundMicroseconds = report.pipes[busiest].busyMicroseconds;
  return report;
}

} // namespace mmk
