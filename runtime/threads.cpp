#include "runtime/threads.h"

#include "machines/host.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace mmk {
namespace {

/// More would only wait for each other, and a slip in `--threads` must not exhaust the system.
constexpr int64_t maxThreads = 256;

using Body = llvm::function_ref<void(int64_t, unsigned)>;

struct Job {
  Body body;
  int64_t count;
  unsigned helpers; ///< at most, besides the caller
  std::atomic<int64_t> next{0};

  void work(unsigned worker) {
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
      body(i, worker);
  }
};

/// Threads are started when first wanted. A helper that wakes late finds the job gone and sleeps
/// on, so that nobody ever waits for a thread that has not begun: this is why small jobs are cheap.
class Pool {
public:
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread &thread : threads_)
      thread.join();
  }

  /// False when the pool is busy, and then nothing was done.
  bool run(Job &job) {
    if (busy_.test_and_set(std::memory_order_acquire))
      return false;
    {
      std::lock_guard lock(mutex_);
      while (threads_.size() < job.helpers)
        threads_.emplace_back([this] { loop(); });
      job_ = &job;
      joined_ = 0;
      ++generation_;
    }
    for (unsigned i = 0; i < job.helpers; ++i)
      wake_.notify_one();
    job.work(0);
    {
      std::unique_lock lock(mutex_);
      job_ = nullptr;
      done_.wait(lock, [this] { return running_ == 0; });
    }
    busy_.clear(std::memory_order_release);
    return true;
  }

private:
  void loop() {
    uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return stop_ || (job_ && generation_ != seen); });
      if (stop_)
        return;
      seen = generation_;
      Job &job = *job_;
      if (joined_ == job.helpers)
        continue;
      const unsigned worker = ++joined_;
      ++running_;
      lock.unlock();
      job.work(worker);
      lock.lock();
      if (--running_ == 0)
        done_.notify_one();
    }
  }

  std::atomic_flag busy_;
  std::mutex mutex_; ///< of all below
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  Job *job_ = nullptr;
  uint64_t generation_ = 0;
  unsigned joined_ = 0, running_ = 0;
  bool stop_ = false;
};

} // namespace

unsigned availableThreads() { return static_cast<unsigned>(*detectFigure("cube_cores")); }

void parallelFor(int64_t count, unsigned threads, Body body) {
  if (count <= 0)
    return;
  static Pool pool;
  const auto helpers =
      static_cast<unsigned>(std::min({int64_t{std::max(threads, 1u)}, count, maxThreads})) - 1;
  Job job{body, count, helpers};
  if (helpers == 0 || !pool.run(job))
    job.work(0);
}

} // namespace mmk
