// The rules of the clock, one at a time, to the cycle.
#include "runtime/clock.h"
#include "tests/unit/clock_machine.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

class EventLog : public EventSink {
public:
  void see(const Event &event) override { events.push_back(event); }
  /// Those of one pipe.
  std::vector<std::pair<int64_t, int64_t>> times(unsigned unit, Pipe pipe) const {
    std::vector<std::pair<int64_t, int64_t>> times;
    for (const Event &event : events)
      if (event.unit == unit && event.pipe == pipe)
        times.emplace_back(event.start, event.end);
    return times;
  }
  std::vector<Event> events;
};

using Times = std::vector<std::pair<int64_t, int64_t>>;

struct ClockTest : testing::Test {
  Machine figures = clockMachine();
  EventLog seen;
  BlockClock clock{figures, 0, 0, &seen};
};

TEST_F(ClockTest, APipeIsInOrder) {
  clock.execute(0, Pipe::mte2, 10, Work::load);
  clock.execute(0, Pipe::mte2, 20, Work::load);
  // Issued at 0 and 1; the second waits for its pipe, not for its issue.
  EXPECT_EQ(seen.times(0, Pipe::scalar), (Times{{0, 1}, {1, 2}}));
  EXPECT_EQ(seen.times(0, Pipe::mte2), (Times{{1, 11}, {11, 31}}));
  EXPECT_EQ(clock.time().end, 31);
}

TEST_F(ClockTest, PipesRunSideBySide) {
  clock.execute(0, Pipe::mte2, 10, Work::load);
  clock.execute(0, Pipe::cube, 20, Work::mmad);
  EXPECT_EQ(seen.times(0, Pipe::mte2), (Times{{1, 11}}));
  EXPECT_EQ(seen.times(0, Pipe::cube), (Times{{2, 22}}));
  EXPECT_EQ(clock.time().end, 22);
}

TEST_F(ClockTest, UnitsIssueForThemselves) {
  clock.execute(0, Pipe::mte2, 10, Work::load);
  clock.execute(2, Pipe::mte2, 20, Work::load);
  EXPECT_EQ(seen.times(0, Pipe::mte2), (Times{{1, 11}}));
  EXPECT_EQ(seen.times(1, Pipe::mte2), Times{});
  EXPECT_EQ(seen.times(2, Pipe::mte2), (Times{{1, 21}}));
}

TEST_F(ClockTest, AFlagOrdersTwoPipes) {
  clock.execute(0, Pipe::mte2, 10, Work::load);              // 1 to 11
  EXPECT_TRUE(clock.setFlag(0, Pipe::mte2, Pipe::mte1, 3));  // 11 to 12, behind the load
  EXPECT_TRUE(clock.waitFlag(0, Pipe::mte2, Pipe::mte1, 3)); // 12 to 13
  clock.execute(0, Pipe::mte1, 5, Work::loadL0);             // 13 to 18
  clock.execute(0, Pipe::cube, 5, Work::mmad);               // issued fifth, without a wait
  EXPECT_EQ(seen.times(0, Pipe::mte2), (Times{{1, 11}, {11, 12}}));
  EXPECT_EQ(seen.times(0, Pipe::mte1), (Times{{12, 13}, {13, 18}}));
  EXPECT_EQ(seen.times(0, Pipe::cube), (Times{{5, 10}}));
  EXPECT_TRUE(clock.finish());
}

TEST_F(ClockTest, AFlagThatIsUpHoldsNothing) {
  EXPECT_TRUE(clock.setFlag(0, Pipe::mte1, Pipe::mte2, 0)); // up at 2
  clock.execute(0, Pipe::mte2, 100, Work::load);            // 2 to 102
  EXPECT_TRUE(clock.waitFlag(0, Pipe::mte1, Pipe::mte2, 0));
  EXPECT_EQ(seen.times(0, Pipe::mte2), (Times{{2, 102}, {102, 103}}));
}

TEST_F(ClockTest, WaitingIsNotBusy) {
  clock.execute(0, Pipe::mte2, 100, Work::load);
  clock.setFlag(0, Pipe::mte2, Pipe::cube, 0);
  clock.waitFlag(0, Pipe::mte2, Pipe::cube, 0);
  const BlockTime time = clock.time();
  EXPECT_EQ(time.busy[0][static_cast<size_t>(Pipe::cube)], 1);
  EXPECT_EQ(time.busy[0][static_cast<size_t>(Pipe::mte2)], 101);
  EXPECT_EQ(time.busy[0][static_cast<size_t>(Pipe::scalar)], 3);
}

TEST_F(ClockTest, ABarrierCostsAsMuchAsAFlag) {
  clock.execute(0, Pipe::cube, 10, Work::mmad);
  clock.barrier(0, Pipe::cube);
  clock.execute(0, Pipe::cube, 10, Work::mmad);
  EXPECT_EQ(seen.times(0, Pipe::cube), (Times{{1, 11}, {11, 12}, {12, 22}}));
}

// No pipe continues before the last is done; those without work wait, too.
TEST_F(ClockTest, ABarrierOfAllPipes) {
  clock.execute(0, Pipe::cube, 10, Work::mmad);  // 1 to 11
  clock.execute(0, Pipe::mte2, 100, Work::load); // 2 to 102
  clock.barrierOfAll(0);
  clock.execute(0, Pipe::cube, 10, Work::mmad);
  clock.execute(0, Pipe::mte1, 10, Work::loadL0);
  EXPECT_EQ(seen.times(0, Pipe::mte2), (Times{{2, 102}, {102, 103}}));
  EXPECT_EQ(seen.times(0, Pipe::cube), (Times{{1, 11}, {102, 103}, {103, 113}}));
  EXPECT_EQ(seen.times(0, Pipe::mte1), (Times{{102, 103}, {103, 113}}));
  EXPECT_EQ(clock.time().end, 113);
}

TEST_F(ClockTest, TheCubeCoreTellsBothVectorCores) {
  clock.execute(0, Pipe::fixpipe, 50, Work::spill); // 1 to 51
  EXPECT_TRUE(clock.setCross(0, Pipe::fixpipe, 4)); // 51 to 52
  EXPECT_TRUE(clock.waitCross(1, Pipe::mte2, 4));
  EXPECT_TRUE(clock.waitCross(2, Pipe::mte2, 4));
  EXPECT_EQ(seen.times(1, Pipe::mte2), (Times{{52, 53}}));
  EXPECT_EQ(seen.times(2, Pipe::mte2), (Times{{52, 53}}));
  EXPECT_TRUE(clock.finish());
}

TEST_F(ClockTest, TheCubeCoreWaitsForBothVectorCores) {
  clock.execute(1, Pipe::mte2, 10, Work::fetch);
  EXPECT_TRUE(clock.setCross(1, Pipe::mte2, 0)); // 11 to 12
  clock.execute(2, Pipe::mte2, 70, Work::fetch);
  EXPECT_TRUE(clock.setCross(2, Pipe::mte2, 0)); // 71 to 72
  EXPECT_TRUE(clock.waitCross(0, Pipe::fixpipe, 0));
  EXPECT_EQ(seen.times(0, Pipe::fixpipe), (Times{{72, 73}}));
  EXPECT_TRUE(clock.finish());
}

TEST_F(ClockTest, ACrossCoreFlagCounts) {
  EXPECT_TRUE(clock.setCross(0, Pipe::fixpipe, 0)); // up at 2
  clock.execute(0, Pipe::fixpipe, 50, Work::spill);
  EXPECT_TRUE(clock.setCross(0, Pipe::fixpipe, 0)); // up at 53
  for (unsigned core : {1, 2})
    for (int i = 0; i < 2; ++i)
      EXPECT_TRUE(clock.waitCross(core, Pipe::mte2, 0));
  // The first wait consumes the first count.
  EXPECT_EQ(seen.times(1, Pipe::mte2), (Times{{2, 3}, {53, 54}}));
  EXPECT_TRUE(clock.finish());
}

/// What the vector core's MTE2 and vector pipe do around a wait for the cube core. The flag is up
/// at 52; the load and the first vector instruction are before the wait, the rest behind it.
std::pair<Times, Times> aroundAWait(bool holdsCore) {
  Machine figures = clockMachine();
  figures.crossWaitHoldsCore = holdsCore;
  EventLog seen;
  BlockClock clock(figures, 0, 0, &seen);
  clock.execute(0, Pipe::fixpipe, 50, Work::spill); // 1 to 51
  EXPECT_TRUE(clock.setCross(0, Pipe::fixpipe, 0)); // 51 to 52
  clock.execute(1, Pipe::mte2, 70, Work::fetch);    // 1 to 71
  clock.execute(1, Pipe::vector, 10, Work::vector); // 2 to 12
  EXPECT_TRUE(clock.waitCross(1, Pipe::mte2, 0));
  clock.execute(1, Pipe::vector, 10, Work::vector);
  clock.execute(1, Pipe::mte2, 5, Work::fetch);
  EXPECT_TRUE(clock.waitCross(2, Pipe::mte2, 0));
  EXPECT_TRUE(clock.finish());
  return {seen.times(1, Pipe::mte2), seen.times(1, Pipe::vector)};
}

// The wait is behind the load on its pipe. The vector pipe goes on: issued fourth.
TEST(Clock, AWaitForTheOtherKindOfCoreHoldsItsPipe) {
  EXPECT_EQ(aroundAWait(false),
            (std::pair{Times{{1, 71}, {71, 72}, {72, 77}}, Times{{2, 12}, {12, 22}}}));
}

// The scalar unit waits, from 2 to 53, while the load goes on. Then it issues the vector
// instruction, at 53, and the second load.
TEST(Clock, OnSomeMachinesItHoldsItsCore) {
  EXPECT_EQ(aroundAWait(true), (std::pair{Times{{1, 71}, {71, 76}}, Times{{2, 12}, {54, 64}}}));
}

// A wait of the cube core for both vector cores, of which the slower decides.
TEST(Clock, ACubeCoreThatWaitsIsHeldAsAWhole) {
  Machine figures = clockMachine();
  figures.crossWaitHoldsCore = true;
  EventLog seen;
  BlockClock clock(figures, 0, 0, &seen);
  for (unsigned core : {1, 2}) {
    clock.execute(core, Pipe::mte2, core * 10, Work::fetch); // 1 to 11, 1 to 21
    EXPECT_TRUE(clock.setCross(core, Pipe::mte2, 0));        // up at 12 and 22
  }
  EXPECT_TRUE(clock.waitCross(0, Pipe::fixpipe, 0)); // 22 to 23
  clock.execute(0, Pipe::mte2, 5, Work::load);
  EXPECT_EQ(seen.times(0, Pipe::scalar), (Times{{22, 23}, {23, 24}}));
  EXPECT_EQ(seen.times(0, Pipe::mte2), (Times{{24, 29}}));
  EXPECT_EQ(seen.times(0, Pipe::fixpipe), Times());
  EXPECT_TRUE(clock.finish());
}

TEST(Clock, AFullQueueStallsTheScalarUnit) {
  Machine shallow = clockMachine();
  shallow.queueDepth = 2;
  EventLog seen;
  BlockClock clock(shallow, 0, 0, &seen);
  for (int i = 0; i < 4; ++i)
    clock.execute(0, Pipe::mte2, 10, Work::load); // starts at 1, 11, 21, 31
  clock.execute(0, Pipe::cube, 10, Work::mmad);
  // The third load can be queued when the first has started, at 1, which is no stall; the fourth
  // when the second has, at 11. The matrix instruction has a queue to itself, but comes after.
  EXPECT_EQ(seen.times(0, Pipe::scalar), (Times{{0, 1}, {1, 2}, {2, 3}, {11, 12}, {12, 13}}));
  EXPECT_EQ(seen.times(0, Pipe::cube), (Times{{13, 23}}));
}

TEST(Clock, TheScalarUnitMayItselfWait) {
  const Machine figures = clockMachine();
  EventLog seen;
  BlockClock clock(figures, 0, 0, &seen);
  clock.execute(0, Pipe::mte2, 10, Work::load);   // 1 to 11
  clock.setFlag(0, Pipe::mte2, Pipe::scalar, 0);  // 11 to 12
  clock.waitFlag(0, Pipe::mte2, Pipe::scalar, 0); // 12 to 13, and nothing is issued before
  clock.execute(0, Pipe::cube, 10, Work::mmad);
  EXPECT_EQ(seen.times(0, Pipe::cube), (Times{{14, 24}}));
}

TEST(Clock, APhaseStartsWhereItIsTold) {
  const Machine figures = clockMachine();
  BlockClock clock(figures, 0, 1000);
  clock.execute(1, Pipe::vector, 10, Work::vector);
  EXPECT_EQ(clock.time().end, 1011);
}

TEST(Clock, ACoupledCoreIsOneUnit) {
  Machine coupled = clockMachine();
  coupled.topology = Topology::coupled;
  coupled.vectorCoresPerCube = 1;
  BlockClock clock(coupled, 0);
  EXPECT_EQ(clock.units(), 1u);
  EXPECT_FALSE(clock.setCross(0, Pipe::fixpipe, 0));
  EXPECT_EQ(clock.fault(),
            "a flag between cube and vector cores, which on this machine are one core");
}

//===--- misuse -------------------------------------------------------------------------===//

TEST_F(ClockTest, AWaitThatNothingSetsIsADeadlock) {
  EXPECT_FALSE(clock.waitFlag(0, Pipe::mte2, Pipe::mte1, 2));
  EXPECT_EQ(clock.fault(), "deadlock: mte1 of the cube core waits for the flag [mte2 -> mte1] 2, "
                           "which nothing before sets");
}

TEST_F(ClockTest, AFlagBelongsToItsUnit) {
  EXPECT_TRUE(clock.setFlag(1, Pipe::mte2, Pipe::vector, 0));
  EXPECT_FALSE(clock.waitFlag(2, Pipe::mte2, Pipe::vector, 0));
  EXPECT_EQ(clock.fault(), "deadlock: vector of vector core 1 waits for the flag [mte2 -> vector] "
                           "0, which nothing before sets");
}

TEST_F(ClockTest, ACrossCoreWaitNeedsBothVectorCores) {
  EXPECT_TRUE(clock.setCross(1, Pipe::mte2, 0));
  EXPECT_FALSE(clock.waitCross(0, Pipe::fixpipe, 0));
  EXPECT_EQ(clock.fault(), "deadlock: fixpipe of the cube core waits for the cross-core flag 0, "
                           "which vector core 1 does not set before");
}

TEST_F(ClockTest, SettingTwiceIsAnError) {
  EXPECT_TRUE(clock.setFlag(0, Pipe::mte2, Pipe::mte1, 0));
  EXPECT_FALSE(clock.setFlag(0, Pipe::mte2, Pipe::mte1, 0));
  EXPECT_EQ(clock.fault(), "the flag [mte2 -> mte1] 0 of the cube core is set again before mte1 "
                           "has waited for it");
}

// In the program the wait is between the sets; in time it comes after both, because its pipe is
// busy. The hardware would lose one.
TEST_F(ClockTest, SettingTwiceInTimeIsAnErrorToo) {
  clock.execute(0, Pipe::mte1, 100, Work::loadL0);
  EXPECT_TRUE(clock.setFlag(0, Pipe::mte2, Pipe::mte1, 0));
  EXPECT_TRUE(clock.waitFlag(0, Pipe::mte2, Pipe::mte1, 0));
  EXPECT_FALSE(clock.setFlag(0, Pipe::mte2, Pipe::mte1, 0));
}

TEST_F(ClockTest, ACrossCoreFlagCountsToFifteen) {
  for (int i = 0; i < 15; ++i)
    EXPECT_TRUE(clock.setCross(0, Pipe::fixpipe, 1));
  EXPECT_FALSE(clock.setCross(0, Pipe::fixpipe, 1));
  EXPECT_EQ(clock.fault(), "the cross-core flag 1 of the cube core is set a 16th time before "
                           "vector core 0 has waited for it");
}

TEST_F(ClockTest, AFlagLeftSetIsAnError) {
  EXPECT_TRUE(clock.setFlag(2, Pipe::vector, Pipe::mte3, 5));
  EXPECT_FALSE(clock.finish());
  EXPECT_EQ(clock.fault(), "the flag [vector -> mte3] 5 of vector core 1 is left set at the end");
}

TEST_F(ClockTest, ACrossCoreFlagLeftSetIsAnError) {
  clock.setCross(1, Pipe::mte2, 3);
  EXPECT_FALSE(clock.finish());
  EXPECT_EQ(clock.fault(),
            "the cross-core flag 3 from vector core 0 to the cube core is left set at the end");
}

TEST_F(ClockTest, OnlyTheMachinesFlagsExist) {
  EXPECT_FALSE(clock.setFlag(0, Pipe::mte2, Pipe::mte1, 6));
  EXPECT_EQ(clock.fault(), "event 6 of the pipes mte2 -> mte1, which have the events 0 to 5");
  EXPECT_FALSE(clock.waitFlag(0, Pipe::mte2, Pipe::mte1, -1));
  EXPECT_FALSE(clock.waitCross(1, Pipe::mte2, 16));
  EXPECT_EQ(clock.fault(), "flag 16 between cube and vector cores, which have the flags 0 to 15");
}

//===--- reports ------------------------------------------------------------------------===//

BlockTime blockTime(int64_t end, int64_t cube, int64_t mte2, int64_t vectorMte2) {
  BlockTime time{end, true, std::vector<PipeCycles>(3, PipeCycles{})};
  time.busy[0][static_cast<size_t>(Pipe::cube)] = cube;
  time.busy[0][static_cast<size_t>(Pipe::mte2)] = mte2;
  for (unsigned unit : {1, 2})
    time.busy[unit][static_cast<size_t>(Pipe::mte2)] = vectorMte2;
  return time;
}

// A read of 40 cycles meets a load for all of its 60, and makes the next load 15 longer; one of 300
// meets that load for 154 of its 351.
TEST(Clock, L1StallsReadsAndLoadsThatMeet) {
  Machine machine = clockMachine();
  machine.memories[Memory::l1].readStall = 0.5;
  machine.memories[Memory::l1].writeStall = 0.25;
  BlockClock clock(machine, 0);
  auto busy = [&](Pipe pipe) { return clock.time().busy[0][static_cast<size_t>(pipe)]; };
  clock.execute(0, Pipe::mte2, 100, Work::load);
  EXPECT_EQ(clock.time().end, 101);
  clock.execute(0, Pipe::mte1, 40, Work::loadL0);
  EXPECT_EQ(busy(Pipe::mte1), 60);
  clock.execute(0, Pipe::mte2, 100, Work::load);
  EXPECT_EQ(busy(Pipe::mte2), 215);
  clock.execute(0, Pipe::mte1, 300, Work::loadL0);
  EXPECT_EQ(busy(Pipe::mte1), 60 + 351);
  // The load is done: reads alone take their time.
  clock.execute(0, Pipe::mte1, 50, Work::loadL0);
  EXPECT_EQ(busy(Pipe::mte1), 60 + 351 + 50);
  clock.execute(0, Pipe::mte2, 100, Work::load);
  EXPECT_EQ(busy(Pipe::mte2), 215 + 100 + 38);
}

// The state of a clock has the stall that the next load will pay.
TEST(Clock, AStateHasTheStallOfTheNextLoad) {
  Machine machine = clockMachine();
  machine.memories[Memory::l1].writeStall = 0.25;
  BlockClock clock(machine, 0), other(machine, 0);
  clock.execute(0, Pipe::mte2, 100, Work::load);
  clock.execute(0, Pipe::mte1, 40, Work::loadL0);
  std::vector<int64_t> state;
  const int64_t base = clock.save({0, 3}, state);
  other.restore({0, 3}, state, base);
  for (BlockClock *each : {&clock, &other})
    each->execute(0, Pipe::mte2, 100, Work::load);
  EXPECT_EQ(clock.time().end, 211);
  EXPECT_EQ(other.time().end, 211);
}

TEST(KernelTime, ATaskHasAFixedCost) {
  Machine figures = clockMachine();
  figures.taskMicroseconds = 1.5;
  KernelTime time(figures, 1);
  time.add(0, blockTime(100, 80, 50, 10));
  time.endPhase(0);
  EXPECT_EQ(time.report().cycles, 1600);
  EXPECT_DOUBLE_EQ(time.report().microseconds, 1.6);
}

// Its last stores are under way while its cores are done.
TEST(KernelTime, APhaseEndsWhenMemoryHasMovedItsBytes) {
  const Machine figures = clockMachine();
  KernelTime time(figures, 1);
  time.add(0, blockTime(100, 80, 50, 10));
  time.endPhase(130);
  EXPECT_EQ(time.start(), 130);
  time.add(0, blockTime(150, 0, 5, 50));
  time.endPhase(140);
  EXPECT_EQ(time.report().cycles, 150);
}

TEST(KernelTime, SlowestBlockSumOfPhasesMeanOfWorkingCores) {
  const Machine figures = clockMachine();
  KernelTime time(figures, 3);
  time.add(0, blockTime(100, 80, 50, 10));
  time.add(1, blockTime(60, 40, 55, 10));
  time.add(2, BlockTime{5, false, std::vector<PipeCycles>(3, PipeCycles{})}); // flags only
  time.endPhase(0);
  EXPECT_EQ(time.start(), 100);
  time.add(0, blockTime(150, 0, 5, 50));
  time.add(1, blockTime(200, 0, 0, 90));
  time.endPhase(0);

  const ClockReport report = time.report();
  EXPECT_EQ(report.cycles, 200);
  EXPECT_EQ(report.cores, 2);
  EXPECT_DOUBLE_EQ(report.microseconds, 0.2);
  EXPECT_DOUBLE_EQ(report.launchMicroseconds, 20);
  EXPECT_EQ(report.cubeUnit[static_cast<size_t>(Pipe::cube)].busyCycles, 60);
  EXPECT_EQ(report.cubeUnit[static_cast<size_t>(Pipe::mte2)].busyCycles, 55);
  EXPECT_EQ(report.vectorUnits[static_cast<size_t>(Pipe::mte2)].busyCycles, 80);
  // Both have an MTE2: the busier one is the kernel's, and here the bound.
  const ClockReport::PipeTime &mte2 = report.pipes[static_cast<size_t>(Pipe::mte2)];
  EXPECT_EQ(mte2.busyCycles, 80);
  EXPECT_DOUBLE_EQ(mte2.busyMicroseconds, 0.08);
  EXPECT_DOUBLE_EQ(mte2.ratio, 0.4);
  EXPECT_EQ(report.bound, Pipe::mte2);
  EXPECT_DOUBLE_EQ(report.boundMicroseconds, 0.08);
}

TEST(KernelTime, NothingDoneIsNoDivisionByZero) {
  const Machine figures = clockMachine();
  const ClockReport report = KernelTime(figures, 2).report();
  EXPECT_EQ(report.cycles, 0);
  EXPECT_EQ(report.cores, 0);
  for (const ClockReport::PipeTime &pipe : report.pipes)
    EXPECT_EQ(pipe.ratio, 0);
}

} // namespace
} // namespace mmk
