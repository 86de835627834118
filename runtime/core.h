// The emulated cores: on-chip memories of the machine's sizes, and the blocks of a kernel run on
// host threads, one block at a time in each.
#pragma once

#include "machines/machine.h"
#include "runtime/abi.h"
#include "runtime/threads.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace mmk {

/// The memories of one emulated block, each between two guard zones.
class CoreMemory {
public:
  /// `globalBytes`: the block's own piece of global memory, as the kernel plans it.
  CoreMemory(const Machine &machine, int64_t globalBytes);
  ~CoreMemory();
  CoreMemory(const CoreMemory &) = delete;
  CoreMemory &operator=(const CoreMemory &) = delete;

  bool allocated() const { return memory_ != nullptr; }
  /// Bytes of all of it, and from its begin to one memory of `view`.
  size_t bytes() const { return total_; }
  size_t offsetOf(unsigned memory) const { return zones_[memory].offset; }
  CoreMemories view(int64_t block) const {
    CoreMemories view = view_;
    view.block = block;
    return view;
  }
  /// The name of a memory around which something was written, or null.
  const char *damaged() const;

private:
  struct Zone {
    size_t offset = 0, bytes = 0;
    const char *name = "";
  };
  std::vector<Zone> zones_; ///< one after the other, a guard before each and after the last
  std::vector<size_t> guards_ = {0}; ///< where they are
  char *memory_ = nullptr;
  size_t total_ = 0;
  CoreMemories view_{}; ///< but for the block
};

/// Observes a watched run.
class RunWatch {
public:
  virtual ~RunWatch() = default;
  /// Before the first phase. `workspaceBytes`: of each workspace, the last of the tensors.
  virtual void beginRun(const KernelArguments &arguments,
                        const std::vector<int64_t> &workspaceBytes) = 0;
  virtual void beginPhase() = 0;
  /// Called on the thread that is about to run the block; each block has a watch of its own.
  virtual void beginBlock(CoreMemories &memories) = 0;
  /// Called when all blocks are done.
  virtual void endPhase() = 0;
  virtual void endRun() = 0;
};

/// Runs the phases of kernels. Keeps the memories between runs. Several threads may run at
/// once.
class EmulatedCores {
public:
  EmulatedCores(const Machine &machine, int64_t blocks, int64_t globalBytes)
      : machine_(machine), blocks_(blocks), globalBytes_(globalBytes) {}
  ~EmulatedCores() { delete spare_.load(); }

  /// The program of one phase for all blocks that have work by its plan, distributed over at most
  /// `threads` threads; returns when all are done. `isSmall`: for parallelFor. A watched program
  /// needs its `watch`, which sees all blocks. The error names the memory that a program wrote
  /// beyond.
  llvm::Error run(PhaseFunction phase, const KernelArguments &arguments, unsigned threads,
                  bool isSmall = false, RunWatch *watch = nullptr);

private:
  const Machine &machine_;
  int64_t blocks_, globalBytes_;
  /// The data of one run of a phase, and the body of its job.
  struct alignas(falseSharingDistance) Team {
    llvm::SmallVector<std::unique_ptr<CoreMemory>, 4> memories; ///< by worker
    PhaseFunction phase = nullptr;
    const KernelArguments *arguments = nullptr;
    RunWatch *watch = nullptr;

    void operator()(int64_t block, unsigned worker) const;
  };
  /// Memories of a finished run, or new ones; null when there is not enough memory.
  std::unique_ptr<Team> take(unsigned workers);
  void giveBack(std::unique_ptr<Team> team);

  /// Those of the last run, for the next one: a lock would take longer than some small kernels.
  std::atomic<Team *> spare_ = nullptr;
  std::mutex mutex_;
  /// Not in use; guarded by mutex_.
  std::vector<std::unique_ptr<Team>> free_;
};

} // namespace mmk
