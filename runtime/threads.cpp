#include "runtime/threads.h"

#include "machines/host.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <pthread.h>
#include <system_error>
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
  std::atomic_flag failed;
  std::exception_ptr failure; ///< the first, for the caller

  void work(unsigned worker) {
    try {
      for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
        body(i, worker);
    } catch (...) {
      next.store(count, std::memory_order_relaxed); // no more is begun
      if (!failed.test_and_set())
        failure = std::current_exception();
    }
  }
};

/// Before a thread falls asleep: to be woken takes longer than most of what small jobs do, and who
/// calls kernels one after the other calls the next one soon.
constexpr auto alertFor = std::chrono::microseconds(50);

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Looks for a while whether it is so.
template <typename Condition> void spinUntil(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + alertFor;
  do
    for (int i = 0; i < 16; ++i) {
      if (condition())
        return;
      relax();
    }
  while (std::chrono::steady_clock::now() < end);
}

/// Threads are started when first wanted. A helper that wakes late finds the job gone and sleeps
/// on, so that nobody ever waits for a thread that has not begun: this is why small jobs are cheap.
/// As long as all threads have a CPU, they stay awake between jobs that follow each other closely.
class Pool {
public:
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      ++generation_;
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
      start(job.helpers);
      awake_ = static_cast<unsigned>(threads_.size()) + 1;
      job_ = &job;
      joined_ = 0;
      ++generation_;
    }
    // Who is awake sees it anyway, and then this costs nothing.
    for (unsigned i = 0; i < job.helpers; ++i)
      wake_.notify_one();
    job.work(0);
    {
      std::lock_guard lock(mutex_);
      job_ = nullptr;
    }
    if (staysAwake())
      spinUntil([this] { return running_ == 0; });
    {
      std::unique_lock lock(mutex_);
      done_.wait(lock, [this] { return running_ == 0; });
    }
    busy_.clear(std::memory_order_release);
    return true;
  }

private:
  /// As many as the system lets us have: the work is done by fewer, too.
  void start(unsigned wanted) {
    try {
      while (threads_.size() < wanted)
        threads_.emplace_back([this] { loop(); });
    } catch (const std::system_error &) {
    } catch (const std::bad_alloc &) {
    }
  }

  bool staysAwake() const {
    static const unsigned available = availableThreads();
    return awake_ <= available;
  }

  void loop() {
    uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
      if (staysAwake()) {
        lock.unlock();
        spinUntil([&] { return generation_ != seen; });
        lock.lock();
        if (!job_ && !stop_ && generation_ != seen) { // came too late, and looks out for the next
          seen = generation_;
          continue;
        }
      }
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
  unsigned joined_ = 0;
  bool stop_ = false;
  // Written under the mutex, and also looked at without it.
  std::atomic<uint64_t> generation_ = 0;
  std::atomic<unsigned> running_ = 0;
  std::atomic<unsigned> awake_ = 0; ///< threads of the pool, and its caller
};

/// The pool of this process. A child that was forked has none of its parent's threads, so that it
/// begins with a pool of its own; the parent's, which knows them, is left as it is.
class PoolOfProcess {
public:
  static Pool &get() {
    static PoolOfProcess pools;
    return *pools.pool_;
  }

private:
  PoolOfProcess() {
    self = this;
    pthread_atfork(nullptr, nullptr, [] {
      self->ofParent_ = self->pool_;
      self->pool_ = new Pool;
    });
  }
  ~PoolOfProcess() { delete pool_; }

  static PoolOfProcess *self;
  Pool *pool_ = new Pool, *ofParent_ = nullptr;
};
PoolOfProcess *PoolOfProcess::self = nullptr;

} // namespace

unsigned availableThreads() { return static_cast<unsigned>(*detectFigure("cube_cores")); }

void parallelFor(int64_t count, unsigned threads, Body body) {
  if (count <= 0)
    return;
  const auto helpers =
      static_cast<unsigned>(std::min({int64_t{std::max(threads, 1u)}, count, maxThreads})) - 1;
  const auto alone = [&] {
    for (int64_t i = 0; i < count; ++i)
      body(i, 0);
  };
  if (helpers == 0)
    return alone();
  Job job{body, count, helpers};
  if (!PoolOfProcess::get().run(job))
    return alone();
  if (job.failure)
    std::rethrow_exception(job.failure);
}

} // namespace mmk
