#include "runtime/core.h"

#include "runtime/threads.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace mmk {
namespace {

// Wider than the widest access that could miss the end of a buffer.
constexpr size_t guardBytes = 256;
constexpr unsigned char guardByte = 0xa5;

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
      {"L0B", 4 * bytes(Memory::l0b)},
      {"L0C", bytes(Memory::l0c)},
      {"BT", bytes(Memory::bt)},
      {"UB", bytes(Memory::ub)}};
  size_t offset = guardBytes;
  auto add = [&](const char *name, size_t size) {
    zones_.push_back({offset, rounded(size), name});
    offset += rounded(size) + guardBytes;
  };
  for (auto [name, size] : sizes)
    add(name, size);
  ubStride_ = static_cast<int64_t>(rounded(bytes(Memory::ub)) + guardBytes);
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
}

CoreMemory::~CoreMemory() { std::free(memory_); }

CoreMemories CoreMemory::view(int64_t block) const {
  CoreMemories view{};
  view.block = block;
  view.ubStride = ubStride_;
  for (unsigned i = 0; i < memories; ++i)
    view.memory[i] = memory_ + zones_[i].offset;
  return view;
}

const char *CoreMemory::damaged() const {
  auto intact = [&](size_t from) {
    // All bytes equal the first, which is the guard: a comparison of words, run after each phase.
    const char *begin = memory_ + from;
    return static_cast<unsigned char>(*begin) == guardByte &&
           std::memcmp(begin, begin + 1, guardBytes - 1) == 0;
  };
  if (!intact(0))
    return zones_[0].name;
  for (const Zone &zone : zones_)
    if (!intact(zone.offset + zone.bytes))
      return zone.name;
  return nullptr;
}

EmulatedCores::Memories EmulatedCores::take(unsigned workers) {
  Memories taken;
  {
    std::lock_guard lock(mutex_);
    for (; taken.size() < workers && !free_.empty(); free_.pop_back())
      taken.push_back(std::move(free_.back()));
  }
  while (taken.size() < workers) {
    auto memory = std::make_unique<CoreMemory>(machine_, globalBytes_);
    if (!memory->allocated())
      break;
    taken.push_back(std::move(memory));
  }
  return taken;
}

void EmulatedCores::giveBack(Memories memories) {
  std::lock_guard lock(mutex_);
  for (auto &memory : memories)
    free_.push_back(std::move(memory));
}

llvm::Error EmulatedCores::run(PhaseFunction phase, const KernelArguments &arguments,
                               unsigned threads, RunWatch *watch) {
  const unsigned workers =
      static_cast<unsigned>(std::clamp<int64_t>(threads, 1, std::max<int64_t>(1, blocks_)));
  Memories memories = take(workers);
  if (memories.size() < workers) {
    giveBack(std::move(memories));
    return llvm::createStringError("not enough memory for the emulated cores");
  }
  if (watch)
    watch->beginPhase();
  parallelFor(blocks_, workers, [&](int64_t block, unsigned worker) {
    CoreMemories view = memories[worker]->view(block);
    if (watch)
      watch->beginBlock(view);
    phase(&arguments, &view);
  });
  if (watch)
    watch->endPhase();
  for (const auto &memory : memories)
    if (const char *name = memory->damaged())
      return llvm::createStringError("the generated program wrote beyond " + std::string(name));
  giveBack(std::move(memories));
  return llvm::Error::success();
}

} // namespace mmk
