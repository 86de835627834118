#include "pipes.h"

#include "acl/acl.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <semaphore>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace shim {
namespace {

constexpr int pipes = 7; // MTE1, MTE2, M, FIX, V, MTE3, S
constexpr int scalarPipe = 6;
constexpr int sides = 3;   // the cube core and its two vector cores
constexpr int flagIds = 8; // of a pair of pipes
constexpr int crossIds = 16, mostCrossFlags = 15;
constexpr int poison = 0xFF; // of unwritten bytes: NaN in each type of float

/// Bytes of L1, L0A, L0B, L0C, UB and the bias table, by AscendC::TPosition.
using Capacities = std::array<size_t, 6>;

struct Chip {
  Capacities capacities;
  /// A core that waits for a flag between cores issues nothing behind it, whatever its pipe.
  bool waitHoldsCore;
};
constexpr Chip chip2201 = {{524288, 65536, 65536, 131072, 196608, 1024}, true},
               chip3510 = {{524288, 65536, 65536, 262144, 262144, 4096}, false};
Chip chip = chip2201;

struct Step {
  enum Kind { work, set, wait, barrier, syncAll, setCross, waitCross } kind;
  std::function<void()> run;
  int flag = 0; ///< of a barrier of all cores: it is one of the vector cores alone
  Where where = {};
  int behind = 0; ///< waits that held its core before it
  uint64_t control = 0;
};

/// A kernel's function, run for one core in a thread of its own. One thread runs at a time.
struct Recording {
  std::thread thread;
  std::binary_semaphore resumed{0}, stopped{0};
  bool isDone = false;
};

/// A piece of a memory, which begins at a multiple of all alignments.
struct alignas(512) Line {
  unsigned char bytes[512];
};

struct Core {
  Recording recording;
  uint64_t control = uint64_t(1) << 53 | uint64_t(1) << 59;
  int cacheTime = 0; ///< of the last write that its scalar unit may have seen
  std::array<std::deque<Step>, pipes> queues;
  int holds = 0, passed = 0; ///< waits that hold the core: recorded, and done
  std::array<bool, pipes * pipes * flagIds> flags = {};
  /// Counters of flags between cores: of the cube core by vector core, of a vector core the first.
  std::array<std::array<int, crossIds>, 2> crossFlags = {};
  std::array<std::vector<Line>, Capacities().size()> memories;
};

struct Block {
  int64_t number = 0;
  bool isMixed = false;
  std::optional<bool> saysMixed; ///< what the kernel says, if it does
  bool canMeet = true;
  std::array<Core, sides> cores;
};

Block *current = nullptr;
int currentSide = 0;                     // which core's function or instruction runs
Core *core = nullptr;                    // the same
std::map<uintptr_t, size_t> allocations; // of global memory: address to bytes
std::map<uintptr_t, int> writeTimes;     // of its allocations: when the last write was
int now = 0;                             // counts writes
uint64_t issuedControl = 0;              // of the instruction that runs
std::map<const void *, size_t> tensors;  // whose address a kernel has taken, and their bytes

void switchTo(int side) {
  currentSide = side;
  core = &current->cores[side];
}

[[noreturn]] void stop(const std::string &message, Where where) {
  std::fprintf(stderr, "%s:%u: %s\n", where.file_name(), unsigned(where.line()), message.c_str());
  std::_Exit(3);
}

/// Whether a call takes effect. SHIM_WITHOUT names what a test takes away: one call by its place,
/// "matmul.h:38", or all calls of a flag, "MTE1>M:0". Both names of a call go into the file
/// SHIM_REACHED.
bool stays(const std::string &flag, Where where) {
  static const char *const without = std::getenv("SHIM_WITHOUT"), *const reached =
                                                                      std::getenv("SHIM_REACHED");
  if (!without && !reached)
    return true;
  const std::string file = where.file_name(),
                    place = file.substr(file.rfind('/') + 1) + ":" + std::to_string(where.line());
  static std::set<std::string> known;
  for (const std::string &name : {place, flag})
    if (reached && known.insert(name).second)
      std::ofstream(reached, std::ios::app) << name << '\n';
  return !without || (place != without && flag != without);
}

constexpr std::array<const char *, pipes> pipeNames = {"MTE1", "MTE2", "M", "FIX",
                                                       "V",    "MTE3", "S"};

std::string nameOf(Flag flag) {
  return std::string(pipeNames[flag.from]) + ">" + pipeNames[flag.to] + ":" +
         std::to_string(flag.id);
}

int numberOf(Flag flag, Where where) {
  expect(flag.id >= 0 && flag.id < flagIds, "a flag of 0 to 7", where);
  return (flag.from * pipes + flag.to) * flagIds + flag.id;
}

/// Of the cube core, by both vector cores.
bool isUp(int flag) {
  return core->crossFlags[0][flag] > 0 && (currentSide != 0 || core->crossFlags[1][flag] > 0);
}

bool isHeld(const Core &core, const Step &step) { return step.behind > core.passed; }

bool isReady(int pipe) {
  if (core->queues[pipe].empty() || isHeld(*core, core->queues[pipe].front()))
    return false;
  const Step &step = core->queues[pipe].front();
  if (step.kind == Step::wait)
    return core->flags[step.flag];
  if (step.kind == Step::waitCross)
    return isUp(step.flag);
  // All cores pass it together, when none has anything else to do.
  if (step.kind == Step::syncAll)
    return false;
  // In each queue at the same barrier: the first that each has left.
  return step.kind != Step::barrier || std::ranges::all_of(core->queues, [](const auto &queue) {
           return queue.front().kind == Step::barrier;
         });
}

void countUp(int &counter, const Step &step) {
  if (++counter > mostCrossFlags)
    stop("a flag between cores counts beyond 15", step.where);
}

void runNext(int pipe) {
  Step step = std::move(core->queues[pipe].front());
  core->queues[pipe].pop_front();
  switch (step.kind) {
  case Step::work:
    issuedControl = step.control;
    return step.run();
  case Step::set:
    if (core->flags[step.flag])
      stop("a flag is set again before it has been waited for", step.where);
    core->flags[step.flag] = true;
    return;
  case Step::wait:
    core->flags[step.flag] = false;
    return;
  case Step::setCross:
    if (currentSide != 0)
      return countUp(current->cores[0].crossFlags[currentSide - 1][step.flag], step);
    for (int side : {1, 2})
      countUp(current->cores[side].crossFlags[0][step.flag], step);
    return;
  case Step::waitCross:
    core->passed += chip.waitHoldsCore;
    --core->crossFlags[0][step.flag];
    if (currentSide == 0)
      --core->crossFlags[1][step.flag];
    return;
  case Step::barrier:
    for (int other = 0; other < pipes; ++other)
      if (other != pipe)
        core->queues[other].pop_front();
    return;
  case Step::syncAll:
    return; // not run by itself
  }
}

bool isAtSync(const Core &core, bool ofVectorCores) {
  return std::ranges::all_of(core.queues, [&](const auto &queue) {
    return !queue.empty() && queue.front().kind == Step::syncAll &&
           (queue.front().flag != 0) == ofVectorCores;
  });
}

/// Lets all cores pass the barrier at which they stand. False: some have not reached it, or there
/// is none.
bool passSync(std::vector<std::unique_ptr<Block>> &blocks, bool ofVectorCores) {
  std::vector<Core *> cores;
  for (auto &block : blocks)
    // A block of a kernel of one kind of core is one core.
    for (int side = ofVectorCores && block->isMixed ? 1 : 0; side < (block->isMixed ? sides : 1);
         ++side)
      cores.push_back(&block->cores[side]);
  if (cores.empty() ||
      !std::ranges::all_of(cores, [&](Core *each) { return isAtSync(*each, ofVectorCores); }))
    return false;
  for (Core *each : cores)
    for (auto &queue : each->queues)
      queue.pop_front();
  return true;
}

/// The pipes by priority: what brings data first, or what uses it first, or one pipe last.
std::vector<std::pair<int, int>> orderOf(std::mt19937 &random) {
  const char *chosen = std::getenv("SHIM_ORDER");
  const std::string order = chosen ? chosen : "ahead";
  std::vector<std::pair<int, int>> ahead; // side and pipe
  for (int side = 0; side < sides; ++side)
    for (int pipe : {1, 0, 2, 3, 4, 5, 6})
      ahead.emplace_back(side, pipe);
  if (order == "behind")
    std::ranges::reverse(ahead);
  else if (const size_t at = order.find('@'); at != std::string::npos) {
    const auto last = std::ranges::find_if(ahead, [&](std::pair<int, int> each) {
      return order.substr(at + 1) == std::to_string(each.first) &&
             order.substr(0, at) == pipeNames[each.second];
    });
    if (last != ahead.end())
      std::rotate(last, last + 1, ahead.end());
  } else if (order != "ahead")
    std::ranges::shuffle(ahead, random);
  return ahead;
}

/// The pipes of a block, until none can go on.
void runPipes() {
  const char *seed = std::getenv("SHIM_ORDER");
  std::mt19937 random(seed ? unsigned(std::atoi(seed)) : 0);
  std::vector<std::pair<int, int>> order = orderOf(random);
  auto isNext = [](std::pair<int, int> next) {
    switchTo(next.first);
    return isReady(next.second);
  };
  for (auto ready = std::ranges::find_if(order, isNext); ready != order.end();
       ready = std::ranges::find_if(order, isNext)) {
    runNext(ready->second);
    order = orderOf(random);
  }
}

void expectDone(const Block &block) {
  for (const Core &each : block.cores) {
    for (const auto &queue : each.queues)
      if (!queue.empty() && !isHeld(each, queue.front()))
        stop("deadlock: nothing sets this flag any more", queue.front().where);
    auto isCounted = [](const auto &counters) {
      return std::ranges::any_of(counters, [](int count) { return count != 0; });
    };
    if (std::ranges::find(each.flags, true) != each.flags.end() ||
        std::ranges::any_of(each.crossFlags, isCounted)) {
      std::fprintf(stderr, "a flag is set when the kernel ends\n");
      std::_Exit(3);
    }
  }
}

} // namespace

/// Lets the kernel's function of a core run to its end or the next SyncAll.
void record(Block &block, int side, const std::function<void()> &kernel) {
  current = &block;
  switchTo(side);
  Recording &recording = core->recording;
  if (recording.isDone)
    return;
  if (!recording.thread.joinable())
    recording.thread = std::thread([&] {
      recording.resumed.acquire();
      kernel();
      recording.isDone = true;
      recording.stopped.release();
    });
  recording.resumed.release();
  recording.stopped.acquire();
}

void launch(int cores, const std::function<void()> &kernel) {
  std::vector<std::unique_ptr<Block>> blocks;
  for (int number = 0; number < cores; ++number)
    blocks.emplace_back(std::make_unique<Block>())->number = number;
  do {
    for (auto &block : blocks)
      for (int side = 0; side < (block->isMixed ? sides : 1); ++side)
        record(*block, side, kernel);
    for (auto &block : blocks) {
      current = block.get();
      runPipes();
    }
  } while (passSync(blocks, true) || passSync(blocks, false));
  for (auto &block : blocks)
    expectDone(*block);
  for (auto &block : blocks)
    for (Core &each : block->cores)
      if (each.recording.thread.joinable())
        each.recording.thread.join();
}

int64_t block() { return current->number; }
int side() { return currentSide; }
void isMixed() {
  expect(current->saysMixed.value_or(true), "cores of both kinds", Where::current());
  current->isMixed = true;
}
void hasCores(bool ofBothKinds, bool meet) {
  current->saysMixed = ofBothKinds;
  current->canMeet = meet;
}

static void push(int pipe, Step step) {
  step.behind = core->holds;
  step.control = core->control;
  core->queues[pipe].push_back(std::move(step));
}

void work(int pipe, std::function<void()> instruction) {
  push(pipe, {Step::work, std::move(instruction)});
}
void set(Flag flag, Where where) {
  if (stays(nameOf(flag), where))
    push(flag.from, {Step::set, {}, numberOf(flag, where), where});
}
void wait(Flag flag, Where where) {
  if (stays(nameOf(flag), where))
    push(flag.to, {Step::wait, {}, numberOf(flag, where), where});
}
void setCross(int pipe, int id, Where where) {
  expect(id >= 0 && id < crossIds, "a flag of 0 to 15", where);
  if (stays("cross:" + std::to_string(id), where))
    push(pipe, {Step::setCross, {}, id, where});
}
void waitCross(int pipe, int id, Where where) {
  expect(id >= 0 && id < crossIds, "a flag of 0 to 15", where);
  if (!stays("cross:" + std::to_string(id), where))
    return;
  // Where the wait holds the core, its scalar unit waits, and not the pipe behind its earlier work.
  push(chip.waitHoldsCore ? scalarPipe : pipe, {Step::waitCross, {}, id, where});
  core->holds += chip.waitHoldsCore;
}
void barrier(Where where) {
  for (int pipe = 0; pipe < pipes; ++pipe)
    push(pipe, {Step::barrier, {}, 0, where});
}

void syncAll(bool ofVectorCores, Where where) {
  expect(current->canMeet, "a mixed kernel, whose cores can meet", where);
  if (!stays("SyncAll", where))
    return;
  for (int pipe = 0; pipe < pipes; ++pipe)
    push(pipe, {Step::syncAll, {}, ofVectorCores, where});
  current->isMixed = current->isMixed || !ofVectorCores;
  Recording &recording = core->recording;
  recording.stopped.release();
  recording.resumed.acquire();
}

void expect(bool holds, const char *rule, Where where) {
  if (!holds)
    stop(std::string("expected ") + rule, where);
}

void expectWithin(int64_t number, int64_t least, int64_t most, const char *name, Where where) {
  if (number < least || number > most)
    stop(std::string("expected ") + name + " of " + std::to_string(least) + " to " +
             std::to_string(most) + ", found " + std::to_string(number),
         where);
}

uint64_t controlNow() { return core->control; }
void setControl(uint64_t value) { core->control = value; }
uint64_t control() { return issuedControl; }

void useArchitecture(int number) { chip = number == 3510 ? chip3510 : chip2201; }

int running() { return currentSide; }

void *local(int side, int position, size_t address, size_t bytes, size_t first, size_t count,
            Where where) {
  expect(first + count <= bytes, "an access within the tensor", where);
  expect(address + bytes <= chip.capacities[position], "a tensor within its memory", where);
  auto &memory = current->cores[side].memories[position];
  if (memory.empty()) {
    memory.resize(chip.capacities[position] / sizeof(Line));
    std::memset(memory.data(), poison, chip.capacities[position]);
  }
  return memory.data()->bytes + address + first;
}

void noteTensor(const void *address, size_t bytes) { tensors[address] = bytes; }
size_t bytesOfTensor(const void *address) {
  const auto found = tensors.find(address);
  return found == tensors.end() ? 0 : found->second;
}

void *global(const void *address, size_t count, Where where) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  auto next = allocations.upper_bound(at);
  const bool isInside =
      next != allocations.begin() && (--next, at + count <= next->first + next->second);
  expect(isInside, "an access within a tensor in global memory", where);
  return const_cast<void *>(address);
}

static uintptr_t allocationOf(const void *address) {
  const auto next = allocations.upper_bound(reinterpret_cast<uintptr_t>(address));
  return next == allocations.begin() ? 0 : std::prev(next)->first;
}
void noteWrite(const void *address) { writeTimes[allocationOf(address)] = ++now; }
void expectFresh(const void *address, Where where) {
  const auto written = writeTimes.find(allocationOf(address));
  expect(written == writeTimes.end() || written->second <= core->cacheTime,
         "a read of what has not been written since the cache was cleaned", where);
}
void forgetCache() { core->cacheTime = now; }

void copy(void *to, const void *from, size_t bytes, size_t room) {
  std::memcpy(to, from, bytes);
  std::memset(static_cast<unsigned char *>(to) + bytes, poison, room - bytes);
}

float multiplyAdd(const float *a, const float *b, size_t count, float sum) {
  for (size_t i = 0; i < count; ++i)
    sum = std::fma(a[i], b[i], sum);
  return sum;
}
int32_t multiplyAdd(const int32_t *a, const int32_t *b, size_t count, int32_t sum) {
  for (size_t i = 0; i < count; ++i)
    sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(a[i] * b[i]));
  return sum;
}

} // namespace shim

aclError aclrtMalloc(void **address, size_t bytes, aclrtMemMallocPolicy) {
  *address = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  std::memset(*address, shim::poison, bytes);
  shim::allocations[reinterpret_cast<uintptr_t>(*address)] = bytes;
  return ACL_SUCCESS;
}

aclError aclrtFree(void *address) {
  shim::allocations.erase(reinterpret_cast<uintptr_t>(address));
  std::free(address);
  return ACL_SUCCESS;
}

aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind) {
  shim::expect(bytes <= room, "room for the bytes", shim::Where::current());
  std::memcpy(to, from, bytes);
  return ACL_SUCCESS;
}
