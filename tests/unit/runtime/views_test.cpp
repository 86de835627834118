// The cause of each instruction's start time, and the views over it, on sequences short enough to
// be worked out by hand.
#include "runtime/clock.h"
#include "runtime/critical_path.h"
#include "runtime/trace.h"
#include "runtime/waits.h"
#include "tests/unit/clock_machine.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

const std::vector<Origin> origins = {
    {"load a", "k.mmk", 7, 3, {{"a", "L1"}}, false},
    {"a in L1 filled", "k.mmk", 7, 3, {{"a", "L1"}}, true},
    {"wait for a in L1 to be filled", "k.mmk", 8, 5, {{"a", "L1"}}, true},
    {"stage a", "k.mmk", 8, 5, {{"a", "L0A"}}, false}};

struct ViewsTest : testing::Test {
  /// Called once the machine has its final figures.
  BlockClock &clock() {
    if (!clock_) {
      recorder.enter({0, 1, 0, 0, 0, origins});
      recorder.accepts(0);
      clock_.emplace(figures, 0, 0, &recorder);
    }
    return *clock_;
  }
  /// Sets origin and slot of the following instructions.
  void from(int64_t origin, int64_t slot) {
    slot_ = slot;
    clock().from(origin, {&slot_, 1});
  }
  const std::vector<Event> &events() const { return recorder.phases()[0].slowest().events; }
  /// Of the n-th event that is no issue.
  const Event &instruction(size_t n) const {
    for (const Event &event : events())
      if (event.work != Work::issue && n-- == 0)
        return event;
    throw std::out_of_range("no such instruction");
  }
  std::vector<std::pair<Pipe, int64_t>> path() const {
    std::vector<std::pair<Pipe, int64_t>> steps;
    for (int64_t number : criticalPath(recorder.phases()[0].slowest())) {
      const Event &event = events()[number];
      steps.emplace_back(event.pipe, event.end - event.start);
    }
    return steps;
  }
  int64_t lengthOfPath() const {
    int64_t length = 0;
    for (auto [pipe, cycles] : path())
      length += cycles;
    return length;
  }

  Machine figures = clockMachine();
  Recorder recorder{1000, 1000};

private:
  std::optional<BlockClock> clock_;
  int64_t slot_ = 0;
};

using Path = std::vector<std::pair<Pipe, int64_t>>;

TEST_F(ViewsTest, TheFirstInstructionWaitsForItsIssueTheNextForItsPipe) {
  clock().execute(0, Pipe::mte2, 10, Work::load); // issued 0 to 1, runs 1 to 11
  clock().execute(0, Pipe::mte2, 20, Work::load); // issued 1 to 2, runs 11 to 31
  ASSERT_EQ(events().size(), 4u);
  EXPECT_EQ(events()[0].cause, Cause::nothing);
  EXPECT_EQ(events()[0].after, -1);
  EXPECT_EQ(events()[1].cause, Cause::issue);
  EXPECT_EQ(events()[1].after, 0);
  EXPECT_EQ(events()[2].cause, Cause::pipe); // the scalar unit is in order too
  EXPECT_EQ(events()[2].after, 0);
  EXPECT_EQ(events()[3].cause, Cause::pipe);
  EXPECT_EQ(events()[3].after, 1);
  for (size_t i = 0; i < events().size(); ++i)
    EXPECT_EQ(events()[i].number, static_cast<int64_t>(i));
  EXPECT_EQ(path(), (Path{{Pipe::scalar, 1}, {Pipe::mte2, 10}, {Pipe::mte2, 20}}));
}

TEST_F(ViewsTest, AWaitIsHeldByTheSet) {
  clock().execute(0, Pipe::mte2, 10, Work::load);  // 1 to 11
  clock().setFlag(0, Pipe::mte2, Pipe::mte1, 3);   // 11 to 12
  clock().waitFlag(0, Pipe::mte2, Pipe::mte1, 3);  // issued at 3, 12 to 13
  clock().execute(0, Pipe::mte1, 5, Work::loadL0); // 13 to 18
  const Event &set = instruction(1), &wait = instruction(2);
  EXPECT_EQ(wait.cause, Cause::flag);
  EXPECT_EQ(wait.after, set.number);
  EXPECT_EQ(wait.waited, 9);
  EXPECT_EQ(std::vector(wait.sets.begin(), wait.sets.end()), std::vector{set.number});
  EXPECT_EQ(
      path(),
      (Path{
          {Pipe::scalar, 1}, {Pipe::mte2, 10}, {Pipe::mte2, 1}, {Pipe::mte1, 1}, {Pipe::mte1, 5}}));
  EXPECT_EQ(lengthOfPath(), clock().time().end);
}

TEST_F(ViewsTest, AFlagThatIsUpHoldsNothing) {
  clock().setFlag(0, Pipe::mte1, Pipe::mte2, 0);   // up at 2
  clock().execute(0, Pipe::mte2, 100, Work::load); // 2 to 102
  clock().waitFlag(0, Pipe::mte1, Pipe::mte2, 0);  // 102 to 103
  const Event &wait = instruction(2);
  EXPECT_EQ(wait.cause, Cause::pipe);
  EXPECT_EQ(wait.waited, 0);
  EXPECT_EQ(wait.sets.size(), 1u); // the arrow is drawn nevertheless
  EXPECT_EQ(path(),
            (Path{{Pipe::scalar, 1}, {Pipe::scalar, 1}, {Pipe::mte2, 100}, {Pipe::mte2, 1}}));
}

TEST_F(ViewsTest, AFullQueueHoldsTheIssue) {
  figures.queueDepth = 1;
  clock().execute(0, Pipe::mte2, 10, Work::load); // issued 0 to 1, runs 1 to 11
  clock().execute(0, Pipe::mte2, 10, Work::load); // issued 1 to 2, runs 11 to 21
  clock().execute(0, Pipe::cube, 4, Work::mmad);  // issued 2 to 3, runs 3 to 7
  clock().execute(0, Pipe::mte2, 10, Work::load); // the queue is free at 11: 11 to 12, 21 to 31
  clock().execute(0, Pipe::cube, 90, Work::mmad); // issued 12 to 13, runs 13 to 103
  const Event &issue = events()[6];
  EXPECT_EQ(issue.cause, Cause::queue);
  EXPECT_EQ(issue.after, instruction(1).number);
  EXPECT_EQ(issue.start, 11);
  // The second load starts when the first is done, and with that the third can be issued.
  EXPECT_EQ(path(), (Path{{Pipe::scalar, 1},
                          {Pipe::mte2, 10},
                          {Pipe::scalar, 1},
                          {Pipe::scalar, 1},
                          {Pipe::cube, 90}}));
  EXPECT_EQ(lengthOfPath(), clock().time().end);
}

TEST_F(ViewsTest, TheCubeCoreWaitsForTheSlowerVectorCore) {
  clock().execute(1, Pipe::mte2, 10, Work::fetch);
  clock().setCross(1, Pipe::mte2, 0);
  clock().execute(2, Pipe::mte2, 70, Work::fetch);
  clock().setCross(2, Pipe::mte2, 0); // 71 to 72
  clock().waitCross(0, Pipe::fixpipe, 0);
  const Event &wait = instruction(4);
  EXPECT_EQ(wait.after, instruction(3).number);
  EXPECT_EQ(wait.sets.size(), 2u);
  EXPECT_EQ(wait.waited, 71); // issued at 1
  EXPECT_EQ(lengthOfPath(), clock().time().end);
}

// A wait that holds the core is one of its scalar unit. What is behind it was issued only then.
TEST_F(ViewsTest, AWaitThatHoldsTheCore) {
  figures.crossWaitHoldsCore = true;
  clock().execute(1, Pipe::mte2, 10, Work::fetch);
  clock().setCross(1, Pipe::mte2, 0);
  clock().execute(2, Pipe::mte2, 70, Work::fetch);
  clock().setCross(2, Pipe::mte2, 0); // 71 to 72
  from(0, 0);
  clock().waitCross(0, Pipe::fixpipe, 0);
  clock().execute(0, Pipe::mte2, 5, Work::load);
  const Event &wait = instruction(4);
  EXPECT_EQ(wait.pipe, Pipe::scalar);
  EXPECT_EQ(wait.cause, Cause::flag);
  EXPECT_EQ(wait.after, instruction(3).number);
  EXPECT_EQ(wait.waited, 72);
  EXPECT_EQ(instruction(5).cause, Cause::issue);
  EXPECT_EQ(lengthOfPath(), clock().time().end);
  const std::vector<WaitReport> waits = waitReport(recorder.phases());
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].pipe, Pipe::scalar);
  EXPECT_EQ(waits[0].cycles, 72);
}

TEST_F(ViewsTest, ACrossCoreFlagReachesBothVectorCores) {
  clock().execute(0, Pipe::fixpipe, 50, Work::spill);
  clock().setCross(0, Pipe::fixpipe, 4);
  clock().waitCross(1, Pipe::mte2, 4);
  clock().waitCross(2, Pipe::mte2, 4);
  for (size_t wait : {2, 3})
    EXPECT_EQ(instruction(wait).after, instruction(1).number);
}

TEST_F(ViewsTest, TheReportOfThePathAddsUp) {
  from(0, 0);
  clock().execute(0, Pipe::mte2, 10, Work::load);
  from(0, 1);
  clock().execute(0, Pipe::mte2, 30, Work::load);
  from(1, 1);
  clock().setFlag(0, Pipe::mte2, Pipe::mte1, 1);
  from(2, 1);
  clock().waitFlag(0, Pipe::mte2, Pipe::mte1, 1);
  from(3, 0);
  clock().execute(0, Pipe::mte1, 5, Work::loadL0);
  const PathReport report = pathReport(recorder.phases());
  EXPECT_EQ(report.cycles, 48);
  EXPECT_TRUE(report.isWhole);
  EXPECT_EQ(report.byPipe.at({false, Pipe::mte2}), 41);
  EXPECT_EQ(report.byPipe.at({false, Pipe::mte1}), 6);
  EXPECT_EQ(report.byPipe.at({false, Pipe::scalar}), 1);
  EXPECT_EQ(report.byCause.at(Cause::flag), 1);   // the wait
  EXPECT_EQ(report.byCause.at(Cause::issue), 10); // the first load
  EXPECT_EQ(report.byCause.at(Cause::pipe), 36);
  EXPECT_EQ(report.parts[0].origin.text, "load a");
  EXPECT_EQ(report.parts[0].count, 2);
  EXPECT_EQ(report.parts[0].cycles, 40);
}

TEST_F(ViewsTest, WaitsAreGatheredByPipeBufferAndDirection) {
  for (int64_t i = 0; i < 3; ++i) {
    from(0, i % 2);
    clock().execute(0, Pipe::mte2, i == 1 ? 50 : 10, Work::load);
    from(1, i % 2);
    clock().setFlag(0, Pipe::mte2, Pipe::mte1, i % 2);
    from(2, i % 2);
    clock().waitFlag(0, Pipe::mte2, Pipe::mte1, i % 2);
    from(3, 0);
    clock().execute(0, Pipe::mte1, 5, Work::loadL0);
  }
  // Loads end at 11, 62 and 73, their flags a cycle later. MTE1 is ready for them at 3, when the
  // wait is issued; at 18; and at 69.
  const std::vector<WaitReport> waits = waitReport(recorder.phases());
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].pipe, Pipe::mte1);
  EXPECT_EQ(waits[0].from, Pipe::mte2);
  EXPECT_TRUE(waits[0].isFill);
  EXPECT_EQ(waits[0].buffers[0].name, "a");
  EXPECT_EQ(waits[0].count, 3);
  EXPECT_EQ(waits[0].cycles, (12 - 3) + (63 - 18) + (74 - 69));
  EXPECT_EQ(waits[0].longest, 45);
  EXPECT_EQ(waits[0].longestEnd, 63);
  EXPECT_EQ(waits[0].slot, 1);
  EXPECT_EQ(waits[0].file, "k.mmk");
  EXPECT_EQ(waits[0].line, 7); // of the load that filled it
}

TEST_F(ViewsTest, AWaitThatHoldsNoWorkIsNone) {
  clock().execute(0, Pipe::mte2, 50, Work::load);
  clock().setFlag(0, Pipe::mte2, Pipe::mte1, 0);
  clock().waitFlag(0, Pipe::mte2, Pipe::mte1, 0); // as at the end of a kernel
  EXPECT_GT(instruction(2).waited, 0);
  EXPECT_TRUE(waitReport(recorder.phases()).empty());
}

TEST(Recorder, KeepsTheBeginningOfWhatIsTooLongAndAsManyBlocksAsFit) {
  const Machine figures = clockMachine();
  Recorder recorder(4, 5);
  recorder.enter({0, 3, 0, 0, 2, {}});
  for (int64_t block : {2, 0, 1}) {
    if (!recorder.accepts(block))
      continue;
    BlockClock clock(figures, block, 0, &recorder);
    for (int i = 0; i < 3; ++i)
      clock.execute(0, Pipe::mte2, 10, Work::load);
  }
  // Six events a block, of which four are kept; after them there is no room for another block.
  const PhaseRecording &phase = recorder.phases()[0];
  ASSERT_EQ(phase.recorded.size(), 1u);
  EXPECT_EQ(phase.slowest().block, 2);
  EXPECT_EQ(phase.slowest().events.size(), 4u);
  EXPECT_TRUE(phase.slowest().isCut);
  EXPECT_EQ(phase.slowest().end(), 21);
  EXPECT_FALSE(pathReport(recorder.phases()).isWhole);
  EXPECT_EQ(shownInTrace(recorder.phases(), 100), "block 2, the slowest of 3, up to cycle 21 of 0");
}

TEST_F(ViewsTest, TheTraceHasASliceForEachInstructionAndAnArrowForEachFlag) {
  from(0, 1);
  clock().execute(0, Pipe::mte2, 10, Work::load);
  from(1, 1);
  clock().setFlag(0, Pipe::mte2, Pipe::mte1, 3);
  from(2, 1);
  clock().waitFlag(0, Pipe::mte2, Pipe::mte1, 3);
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeTrace(stream, recorder.phases(), figures, 100, {{"kernel", "k"}});
  llvm::Expected<llvm::json::Value> trace = llvm::json::parse(text);
  ASSERT_TRUE(static_cast<bool>(trace));
  const llvm::json::Object &root = *trace->getAsObject();
  EXPECT_EQ(root.getObject("otherData")->getString("kernel"), "k");
  EXPECT_EQ(root.getObject("otherData")->getString("shown"), std::nullopt);
  std::map<std::string, std::vector<const llvm::json::Object *>> byKind;
  for (const llvm::json::Value &each : *root.getArray("traceEvents"))
    byKind[each.getAsObject()->getString("ph")->str()].push_back(each.getAsObject());
  EXPECT_EQ(byKind["X"].size(), 6u); // three issues, three instructions
  ASSERT_EQ(byKind["s"].size(), 1u);
  ASSERT_EQ(byKind["f"].size(), 1u);
  EXPECT_EQ(byKind["s"][0]->getInteger("id"), byKind["f"][0]->getInteger("id"));
  EXPECT_EQ(byKind["s"][0]->getInteger("ts"), 11);
  EXPECT_EQ(byKind["f"][0]->getInteger("ts"), 12);
  const llvm::json::Object &load = *byKind["X"][1];
  EXPECT_EQ(load.getString("name"), "load a");
  EXPECT_EQ(load.getObject("args")->getString("line"), "k.mmk:7");
  EXPECT_EQ(load.getObject("args")->getString("buffers"), "a[1] in L1");
  // A wait is shown from the time at which its pipe is idle.
  const llvm::json::Object &wait = *byKind["X"][5];
  EXPECT_EQ(wait.getInteger("ts"), 3);
  EXPECT_EQ(wait.getInteger("dur"), 10);
  EXPECT_EQ(wait.getObject("args")->getInteger("waited"), 9);
}

} // namespace
} // namespace mmk
