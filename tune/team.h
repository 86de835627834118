// Workers that count variants: the threads of this process, or the processes of several machines.
#pragma once

#include "tune/counter.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <atomic>
#include <memory>

namespace mmk::tune {

/// One variant to be counted at some shapes.
struct Job {
  Choices choices;
  std::vector<Dims> shapes;
};

class Team {
public:
  virtual ~Team() = default;

  /// Counts every job, in any order, and calls `done` for each as it ends, never twice at once.
  /// Stops early, with jobs left, when `stop` becomes true.
  virtual void count(llvm::ArrayRef<Job> jobs, llvm::function_ref<void(size_t, Counted)> done,
                     const std::atomic<bool> &stop) = 0;

  /// How many it counts at once.
  virtual size_t size() const = 0;
};

/// The threads of this process.
std::unique_ptr<Team> threadTeam(const Program &program, const Kernel &kernel,
                                 const Machine &machine, unsigned threads);

} // namespace mmk::tune
