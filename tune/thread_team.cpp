#include "tune/team.h"

#include "runtime/threads.h"

#include <mutex>

namespace mmk::tune {
namespace {

class ThreadTeam : public Team {
public:
  ThreadTeam(const Program &program, const Kernel &kernel, const Machine &machine, unsigned threads)
      : program_(program), kernel_(kernel), machine_(machine), counters_(threads) {}

  void count(llvm::ArrayRef<Job> jobs, llvm::function_ref<void(size_t, Counted)> done,
             const std::atomic<bool> &stop) override {
    std::mutex mutex;
    parallelFor(jobs.size(), counters_.size(), [&](int64_t i, unsigned worker) {
      if (stop.load(std::memory_order_relaxed))
        return;
      std::unique_ptr<Counter> &counter = counters_[worker];
      if (!counter)
        counter = std::make_unique<Counter>(program_, kernel_, machine_);
      Counted counted = counter->count(jobs[i].choices, jobs[i].shapes);
      const std::lock_guard lock(mutex);
      done(i, std::move(counted));
    });
  }

  size_t size() const override { return counters_.size(); }

private:
  const Program &program_;
  const Kernel &kernel_;
  const Machine &machine_;
  std::vector<std::unique_ptr<Counter>> counters_; ///< by worker
};

} // namespace

std::unique_ptr<Team> threadTeam(const Program &program, const Kernel &kernel,
                                 const Machine &machine, unsigned threads) {
  return std::make_unique<ThreadTeam>(program, kernel, machine, threads);
}

} // namespace mmk::tune
