#include "runtime/threads.h"

#include "machines/host.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace mmk {
namespace {

/// More would only wait for each other, and a typing error in `--threads` must not exhaust the
/// system.
constexpr int64_t maxThreads = 256;

using Body = llvm::function_ref<void(int64_t, unsigned)>;

/// How long a thread spins before it sleeps: waking takes longer than most small jobs, and a caller
/// in a loop submits the next job soon.
constexpr auto alertFor = std::chrono::microseconds(50);

/// The caller's time to wake a thread on an idle CPU: 10 to 30 us in a virtual machine.
constexpr auto wakingTakes = std::chrono::microseconds(20);

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Spins until it holds, for a limited time.
template <typename Condition> bool spinUntil(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + alertFor;
  do
    for (int i = 0; i < 16; ++i) {
      if (condition())
        return true;
      relax();
    }
  while (std::chrono::steady_clock::now() < end);
  return false;
}

/// The state of a job is one word, and each step is one atomic operation on it:
/// - the caller opens the job: all tasks but its own first one, and a seat for each helper;
/// - a helper joins while both remain: it takes a task and a seat, and is at work;
/// - a thread at work takes further tasks, until there are none;
/// - a helper leaves, and is not at work any more.
/// Tasks and seats only decrease, so once the caller finds no task, no helper can join. When no
/// helper is at work either, the job is over, and the next one may be opened in its place; a helper
/// that was about to join the first may join the second. So no thread waits for a thread that has
/// not begun.
///
/// Memory order: joining acquires what the caller wrote before it opened the job, and the caller
/// acquires what a helper wrote before it left. The assignment of tasks needs no order. All other
/// operations are sequentially consistent, for the protocol of sleeping (Pool).
class alignas(falseSharingDistance) Job {
public:
  void open(int64_t count, unsigned helpers, Body body) {
    count_ = count;
    body_ = body;
    state_ = (count - 1) * task + helpers * seat;
  }
  bool isOpen() const { return isOpen(state_); }
  bool isOver() const { return !isAtWork(state_); }

  /// Called by the caller: runs tasks until there are none left.
  void lead() { work(0, 0); }
  /// Called by a helper: the same, if the job is still open. True when the last one has left.
  bool help() {
    int64_t state = state_;
    do
      if (!isOpen(state))
        return false;
    while (!state_.compare_exchange_weak(state, state - task - seat + atWork));
    work(indexOf(state), static_cast<unsigned>(freeSeats(state)));
    return !isAtWork(state_ -= atWork);
  }
  /// The first exception of a task.
  std::exception_ptr takeFailure() {
    failed_.clear(std::memory_order_relaxed);
    return std::exchange(failure_, nullptr);
  }

private:
  /// Of the state, from the lowest bits: helpers at work, free seats, and tasks that have not
  /// begun. These are in the highest bits, as they fall below zero: by one for each thread that
  /// found no task.
  static constexpr int64_t atWork = 1, seat = atWork * maxThreads, task = seat * maxThreads;

  static bool isAtWork(int64_t state) { return state % seat != 0; }
  static int64_t freeSeats(int64_t state) { return state / seat % maxThreads; }
  static bool isOpen(int64_t state) { return state >= task && freeSeats(state) > 0; }
  /// The index of the task taken from this state; `count_` or more if there is none.
  int64_t indexOf(int64_t state) const {
    return count_ - (state >> std::countr_zero(uint64_t{task}));
  }

  void work(int64_t index, unsigned worker) {
    try {
      for (; index < count_; index = indexOf(state_.fetch_sub(task, std::memory_order_relaxed)))
        body_(index, worker);
    } catch (...) {
      state_.fetch_and(task - 1, std::memory_order_relaxed); // no further task begins
      if (!failed_.test_and_set(std::memory_order_relaxed))
        failure_ = std::current_exception();
    }
  }

  // One cache line, which moves between the threads as a whole.
  std::atomic<int64_t> state_ = 0;
  int64_t count_ = 0;
  Body body_;
  std::atomic_flag failed_;
  std::exception_ptr failure_;
};

/// Keeps the thread that makes it off one CPU. Some schedulers, to save power, wake a thread where
/// its waker runs although other CPUs are idle; there a helper would wait for its caller, and the
/// caller for it, until one of them is moved some milliseconds later.
class ExcludeCpu {
public:
  explicit ExcludeCpu(int cpu) {
    cpu_set_t others;
    if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof before_, &before_) != 0)
      return;
    others = before_;
    CPU_CLR(cpu, &others);
    isKept_ = sched_setaffinity(0, sizeof others, &others) == 0;
  }
  ~ExcludeCpu() {
    if (isKept_)
      sched_setaffinity(0, sizeof before_, &before_);
  }
  ExcludeCpu(const ExcludeCpu &) = delete;
  ExcludeCpu &operator=(const ExcludeCpu &) = delete;

private:
  cpu_set_t before_;
  bool isKept_ = false;
};

/// Threads are started when first wanted. While each has a CPU, they stay awake between jobs that
/// follow each other closely, and such jobs take no lock.
///
/// A thread announces its sleep and then checks for work; a caller publishes work and then checks
/// for sleepers. In every order of these four steps at least one of them sees the other.
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
  bool run(int64_t count, unsigned helpers, Body body, bool isSmall) {
    if (busy_.test_and_set(std::memory_order_acquire))
      return false;
    start(helpers);
    callersCpu_.store(sched_getcpu(), std::memory_order_relaxed);
    job_.open(count, helpers, body);
    const unsigned awake = static_cast<unsigned>(threads_.size()) - asleep_;
    const bool areFew = awake < helpers;
    if (areFew && (!isSmall || isInSeries()))
      wake(helpers - awake);
    job_.lead();
    awaitHelpers();
    if (areFew)
      lastEnd_ = std::chrono::steady_clock::now();
    const std::exception_ptr failure = job_.takeFailure();
    busy_.clear(std::memory_order_release);
    if (failure)
      std::rethrow_exception(failure);
    return true;
  }

private:
  /// Starts as many as the system allows; fewer do the work, too.
  void start(unsigned wanted) {
    if (threads_.size() >= wanted)
      return;
    try {
      while (threads_.size() < wanted)
        threads_.emplace_back([this] { loop(); });
    } catch (const std::system_error &) {
    } catch (const std::bad_alloc &) {
    }
    staysAwake_ = threads_.size() < availableThreads();
  }

  /// Whether jobs have followed each other closely for as long as waking a thread takes.
  bool isInSeries() {
    const auto now = std::chrono::steady_clock::now();
    if (now - lastEnd_ > alertFor)
      begin_ = now;
    return now - begin_ >= wakingTakes;
  }

  /// At most as many as are asleep. A thread that is about to sleep holds the mutex until it does.
  void wake(unsigned count) {
    std::lock_guard lock(mutex_);
    for (; count > 0 && asleep_ > 0; --count, --asleep_, ++woken_)
      wake_.notify_one();
  }

  void awaitHelpers() {
    const auto isOver = [this] { return job_.isOver(); };
    if (isOver() || (staysAwake_ && spinUntil(isOver)))
      return;
    std::unique_lock lock(mutex_);
    callerSleeps_ = true;
    done_.wait(lock, isOver);
    callerSleeps_ = false;
  }

  void loop() {
    do {
      if (job_.help() && callerSleeps_) {
        std::lock_guard lock(mutex_);
        done_.notify_one();
      }
    } while ((staysAwake_ && spinUntil([this] { return job_.isOpen(); })) || sleep());
  }

  /// Waits until there may be a job; false: there will be none.
  bool sleep() {
    std::optional<ExcludeCpu> elsewhere;
    if (staysAwake_)
      elsewhere.emplace(callersCpu_);
    std::unique_lock lock(mutex_);
    ++asleep_;
    if (job_.isOpen()) {
      --asleep_;
      return true;
    }
    wake_.wait(lock, [this] { return stop_ || woken_ > 0; });
    if (stop_)
      return false;
    --woken_;
    return true;
  }

  Job job_;
  // Written by the caller.
  std::atomic_flag busy_;
  std::atomic<int> callersCpu_ = -1; ///< for helpers that fall asleep
  std::vector<std::thread> threads_;
  std::chrono::steady_clock::time_point begin_, lastEnd_; ///< of jobs with too few helpers
  // Seldom written.
  alignas(falseSharingDistance) std::atomic<bool> staysAwake_ = true;
  std::atomic<bool> callerSleeps_ = false;
  std::atomic<unsigned> asleep_ = 0; ///< not yet woken; written under the mutex
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  // Guarded by the mutex.
  unsigned woken_ = 0; ///< signalled, but still asleep
  bool stop_ = false;
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

unsigned availableThreads() { return static_cast<unsigned>(availableCores()); }

void parallelFor(int64_t count, unsigned threads, Body body, bool isSmall) {
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
  if (!PoolOfProcess::get().run(count, helpers, body, isSmall))
    alone();
}

} // namespace mmk
