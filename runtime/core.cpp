#include "runtime/core.h"

#include "runtime/clones.h"
#include "runtime/threads.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace mmk {
namespace {

// Wider than the widest access that could miss the end of a buffer.
constexpr size_t guardBytes = 256;
constexpr unsigned char guardByte = 0xa5;

/// Runs after each phase; inlined, as a call would take longer than some small kernels.
MMK_CLONES bool areGuards(const char *memory, const size_t *offsets, size_t count) {
  uint64_t changed = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t words[guardBytes / 8];
    std::memcpy(words, memory + offsets[i], guardBytes);
    for (uint64_t word : words)
      changed |= word ^ (guardByte * 0x0101010101010101u);
  }
  return changed == 0;
}

size_t rounded(size_t bytes) { return (bytes + 255) / 256 * 256; }

} // namespace

CoreMemory::CoreMemory(const Machine &machine, int64_t globalBytes) {
  const int64_t vectorCores = machine.topology == Topology::split ? machine.vectorCoresPerCube : 1;
  auto bytes = [&](Memory memory) { return static_cast<size_t>(machine.memory(memory).bytes); };
  // Four bytes an element in L0A and L0B, of which i8 has most (abi.h).
  const std::pair<const char *, size_t> sizes[memories] = {
      {"the block's global memory", static_cast<size_t>(globalBytes)},
      {"L1", bytes(Memory::l1)},
      {"L0A", 4 * bytes(Memory::l0a)},
      {"L0B", 4 * paddingOfL0b(machine.cube.n) * bytes(Memory::l0b)},
      {"L0C", bytes(Memory::l0c)},
      {"BT", bytes(Memory::bt)},
      {"UB", bytes(Memory::ub)}};
  size_t offset = guardBytes;
  auto add = [&](const char *name, size_t size) {
    // A memory that this machine lacks points into an existing guard: a write to it is detected,
    // and no further guard has to be checked after each run.
    zones_.push_back({size == 0 ? offset - guardBytes : offset, rounded(size), name});
    if (size == 0)
      return;
    offset += rounded(size);
    guards_.push_back(offset);
    offset += guardBytes;
  };
  for (auto [name, size] : sizes)
    add(name, size);
  const size_t ub = rounded(bytes(Memory::ub));
  view_.ubStride = ub == 0 ? 0 : static_cast<int64_t>(ub + guardBytes);
  for (int64_t i = 1; i < vectorCores; ++i)
    add("UB", bytes(Memory::ub));
  total_ = (offset + 4095) / 4096 * 4096;
  memory_ = static_cast<char *>(std::aligned_alloc(4096, total_));
  if (!memory_)
    return;
  size_t end = 0;
  for (const Zone &zone : zones_) {
    std::memset(memory_ + end, guardByte, zone.offset - end);
    end = zone.offset + zone.bytes;
  }
  std::memset(memory_ + end, guardByte, total_ - end);
  for (unsigned i = 0; i < memories; ++i)
    view_.memory[i] = memory_ + zones_[i].offset;
}

CoreMemory::~CoreMemory() { std::free(memory_); }

const char *CoreMemory::damaged() const {
  if (areGuards(memory_, guards_.data(), guards_.size()))
    return nullptr;
  const auto isGuard = [&](size_t offset) { return areGuards(memory_, &offset, 1); };
  if (!isGuard(0))
    return zones_[0].name;
  for (const Zone &zone : zones_)
    if (zone.bytes != 0 && !isGuard(zone.offset + zone.bytes))
      return zone.name;
  return nullptr;
}

void EmulatedCores::Team::operator()(int64_t block, unsigned worker) const {
  CoreMemories view = memories[worker]->view(block);
  if (watch)
    watch->beginBlock(view);
  phase(arguments, &view);
}

std::unique_ptr<EmulatedCores::Team> EmulatedCores::take(unsigned workers) {
  std::unique_ptr<Team> team(spare_.exchange(nullptr));
  if (!team) {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      team = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!team)
    team = std::make_unique<Team>();
  while (team->memories.size() < workers) {
    auto memory = std::make_unique<CoreMemory>(machine_, globalBytes_);
    if (!memory->allocated()) {
      giveBack(std::move(team));
      return nullptr;
    }
    team->memories.push_back(std::move(memory));
  }
  return team;
}

void EmulatedCores::giveBack(std::unique_ptr<Team> team) {
  team.reset(spare_.exchange(team.release()));
  if (!team)
    return;
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(team));
}

llvm::Error EmulatedCores::run(PhaseFunction phase, const KernelArguments &arguments,
                               unsigned threads, bool isSmall, RunWatch *watch) {
  const int64_t blocks = watch ? blocks_ : std::min(blocks_, arguments.plan[planBlocks]);
  const int64_t most = arguments.plan[planSingleBlock] ? 1 : std::max<int64_t>(1, blocks);
  const unsigned workers = static_cast<unsigned>(std::clamp<int64_t>(threads, 1, most));
  std::unique_ptr<Team> team = take(workers);
  if (!team)
    return llvm::createStringError("not enough memory for the emulated cores");
  storeIfChanged(team->phase, phase);
  storeIfChanged(team->arguments, &arguments);
  storeIfChanged(team->watch, watch);
  if (watch)
    watch->beginPhase();
  if (workers == 1)
    for (int64_t block = 0; block < blocks; ++block)
      (*team)(block, 0);
  else
    parallelFor(blocks, workers, *team, isSmall);
  if (watch)
    watch->endPhase();
  for (const auto &memory : llvm::ArrayRef(team->memories).take_front(workers))
    if (const char *name = memory->damaged())
      return llvm::createStringError("the generated program wrote beyond " + std::string(name));
  giveBack(std::move(team));
  return llvm::Error::success();
}

} // namespace mmk
