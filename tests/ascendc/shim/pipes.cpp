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
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace shim {
namespace {

constexpr int pipes = 4;     // MTE1, MTE2, M, FIX
constexpr int flagIds = 8;   // of a pair of pipes
constexpr int poison = 0xFF; // of unwritten bytes: NaN in each type of float

/// Bytes of L1, L0A, L0B, L0C of Ascend 910B, by AscendC::TPosition.
constexpr std::array<size_t, 4> capacities = {524288, 65536, 65536, 131072};

struct Step {
  enum Kind { work, set, wait, barrier } kind;
  std::function<void()> run;
  int flag = 0;
  Where where = {};
};

struct Core {
  int64_t number = 0;
  std::array<std::deque<Step>, pipes> queues;
  std::array<bool, pipes * pipes * flagIds> flags = {};
  std::array<std::vector<unsigned char>, 4> memories;
};

Core *core = nullptr;
std::map<uintptr_t, size_t> allocations; // of global memory: address to bytes

[[noreturn]] void stop(const std::string &message, Where where) {
  std::fprintf(stderr, "%s:%u: %s\n", where.file_name(), unsigned(where.line()), message.c_str());
  std::_Exit(3);
}

int numberOf(Flag flag, Where where) {
  expect(flag.id >= 0 && flag.id < flagIds, "a flag of 0 to 7", where);
  return (flag.from * pipes + flag.to) * flagIds + flag.id;
}

bool isReady(int pipe) {
  if (core->queues[pipe].empty())
    return false;
  const Step &step = core->queues[pipe].front();
  if (step.kind == Step::wait)
    return core->flags[step.flag];
  // In each queue at the same barrier: the first that each has left.
  return step.kind != Step::barrier || std::ranges::all_of(core->queues, [](const auto &queue) {
           return queue.front().kind == Step::barrier;
         });
}

void runNext(int pipe) {
  Step step = std::move(core->queues[pipe].front());
  core->queues[pipe].pop_front();
  switch (step.kind) {
  case Step::work:
    return step.run();
  case Step::set:
    if (core->flags[step.flag])
      stop("a flag is set again before it has been waited for", step.where);
    core->flags[step.flag] = true;
    return;
  case Step::wait:
    core->flags[step.flag] = false;
    return;
  case Step::barrier:
    for (int other = 0; other < pipes; ++other)
      if (other != pipe)
        core->queues[other].pop_front();
  }
}

/// The pipes by priority: what brings data first, or what uses it first.
std::vector<int> orderOf(std::mt19937 &random) {
  const char *chosen = std::getenv("SHIM_ORDER");
  const std::string order = chosen ? chosen : "ahead";
  std::vector<int> ahead = {1, 0, 2, 3};
  if (order == "behind")
    std::ranges::reverse(ahead);
  else if (order != "ahead")
    std::ranges::shuffle(ahead, random);
  return ahead;
}

void runPipes() {
  const char *seed = std::getenv("SHIM_ORDER");
  std::mt19937 random(seed ? unsigned(std::atoi(seed)) : 0);
  for (;;) {
    const std::vector<int> order = orderOf(random);
    const auto ready = std::ranges::find_if(order, isReady);
    if (ready == order.end())
      break;
    runNext(*ready);
  }
  for (const auto &queue : core->queues)
    if (!queue.empty())
      stop("deadlock: nothing sets this flag any more", queue.front().where);
}

} // namespace

void launch(int cores, const std::function<void()> &kernel) {
  for (int number = 0; number < cores; ++number) {
    auto state = std::make_unique<Core>();
    core = state.get();
    core->number = number;
    for (size_t i = 0; i < capacities.size(); ++i)
      core->memories[i].assign(capacities[i], poison);
    kernel();
    runPipes();
    if (std::ranges::find(core->flags, true) != core->flags.end()) {
      std::fprintf(stderr, "a flag is set when the kernel ends\n");
      std::_Exit(3);
    }
  }
}

int64_t block() { return core->number; }

void work(int pipe, std::function<void()> instruction) {
  core->queues[pipe].push_back({Step::work, std::move(instruction)});
}
void set(Flag flag, Where where) {
  core->queues[flag.from].push_back({Step::set, {}, numberOf(flag, where), where});
}
void wait(Flag flag, Where where) {
  core->queues[flag.to].push_back({Step::wait, {}, numberOf(flag, where), where});
}
void barrier(Where where) {
  for (auto &queue : core->queues)
    queue.push_back({Step::barrier, {}, 0, where});
}

void expect(bool holds, const char *rule, Where where) {
  if (!holds)
    stop(std::string("expected ") + rule, where);
}

void *local(int position, size_t address, size_t bytes, size_t first, size_t count, Where where) {
  expect(first + count <= bytes, "an access within the tensor", where);
  expect(address + bytes <= capacities[position], "a tensor within its memory", where);
  return core->memories[position].data() + address + first;
}

void *global(const void *address, size_t count, Where where) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  auto next = allocations.upper_bound(at);
  const bool isInside =
      next != allocations.begin() && (--next, at + count <= next->first + next->second);
  expect(isInside, "an access within a tensor in global memory", where);
  return const_cast<void *>(address);
}

float multiplyAdd(float a, float b, float sum) { return std::fma(a, b, sum); }

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
