// The pool: every index once, whatever calls it and from where.
#include "runtime/threads.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <mutex>
#include <new>
#include <sched.h>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace mmk;

// Once in the caller and once in a helper: each waits for the other, so that neither does both.
template <typename Body> void onTwoThreads(Body body) {
  std::atomic<int> begun = 0;
  parallelFor(2, 2, [&](int64_t, unsigned) {
    ++begun;
    for (int i = 0; i < 100000 && begun < 2; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    body();
  });
}

TEST(Threads, ThereIsAtLeastOne) { EXPECT_GE(availableThreads(), 1u); }

TEST(Threads, EveryIndexOnce) {
  for (int64_t count : {0, 1, 2, 3, 17, 10000})
    for (unsigned threads : {0u, 1u, 2u, 7u, 100000u}) {
      std::vector<std::atomic<int>> calls(count);
      std::atomic<bool> workersInRange = true;
      const auto call = [&](int64_t index, unsigned worker) {
        ++calls[index];
        if (worker >= std::max(threads, 1u))
          workersInRange = false;
      };
      parallelFor(count, threads, call, /*isSmall=*/count % 2 == 1);
      for (const auto &number : calls)
        EXPECT_EQ(number, 1);
      EXPECT_TRUE(workersInRange);
    }
}

TEST(Threads, OneThreadRunsInOrder) {
  std::vector<int64_t> order;
  parallelFor(5, 1, [&](int64_t index, unsigned worker) {
    EXPECT_EQ(worker, 0u);
    order.push_back(index);
  });
  EXPECT_EQ(order, (std::vector<int64_t>{0, 1, 2, 3, 4}));
}

TEST(Threads, ScratchOfAWorkerIsItsOwn) {
  constexpr unsigned threads = 4;
  std::vector<std::atomic<bool>> busy(threads);
  std::atomic<bool> shared = false;
  for (int round = 0; round < 50; ++round)
    parallelFor(64, threads, [&](int64_t, unsigned worker) {
      if (busy[worker].exchange(true))
        shared = true;
      std::this_thread::yield();
      busy[worker] = false;
    });
  EXPECT_FALSE(shared);
}

TEST(Threads, NestedCallsRunInTheirCaller) {
  std::atomic<int> calls = 0;
  parallelFor(8, 4, [&](int64_t, unsigned) {
    const std::thread::id caller = std::this_thread::get_id();
    parallelFor(8, 4, [&](int64_t, unsigned worker) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      EXPECT_EQ(worker, 0u);
      ++calls;
    });
  });
  EXPECT_EQ(calls, 64);
}

TEST(Threads, SeveralCallersAtOnce) {
  std::atomic<int> calls = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round)
        parallelFor(10, 3, [&](int64_t, unsigned) { ++calls; });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(calls, 4000);
}

TEST(Threads, AnExceptionReachesTheCallerAndTheNextJobIsDone) {
  for (unsigned threads : {1u, 4u})
    for (int64_t bad : {0, 50, 99}) {
      EXPECT_THROW(parallelFor(100, threads,
                               [&](int64_t index, unsigned) {
                                 if (index == bad)
                                   throw std::bad_alloc();
                               }),
                   std::bad_alloc);
      std::atomic<int> calls = 0;
      parallelFor(10, threads, [&](int64_t, unsigned) { ++calls; });
      EXPECT_EQ(calls, 10);
    }
}

// Runs in a forked process; returns its exit code, 77 when it takes more than 300 s.
template <typename Body> int inChild(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(300);
    const int code = body();
#if __has_feature(address_sanitizer)
    _exit(code); // memory of the parent's threads is unreachable here, and counts as leaked
#endif
    std::exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 77;
}

TEST(Threads, AForkedProcessHasThreadsOfItsOwn) {
  const auto distinct = [] {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    onTwoThreads([&] {
      std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    return static_cast<int>(seen.size());
  };
  EXPECT_EQ(distinct(), 2);
  EXPECT_EQ(inChild(distinct), 2);
  EXPECT_EQ(inChild([&] { return inChild(distinct); }), 2);
  EXPECT_EQ(distinct(), 2);
}

// Threads are memory for their stacks.
TEST(Threads, FewerThreadsThanWantedDoTheWork) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizer itself takes more memory than the limit";
#endif
  EXPECT_EQ(inChild([] {
              const rlimit none = {1 << 20, 1 << 20};
              setrlimit(RLIMIT_AS, &none);
              std::atomic<int> calls = 0;
              parallelFor(100, 8, [&](int64_t, unsigned) { ++calls; });
              return calls == 100 ? 0 : 1;
            }),
            0);
}

TEST(Threads, ManySmallJobsInARow) {
  int64_t sum = 0;
  for (int i = 0; i < 20000; ++i) {
    std::atomic<int64_t> part = 0;
    parallelFor(3, 2, [&](int64_t index, unsigned) { part += index; });
    sum += part;
  }
  EXPECT_EQ(sum, 60000);
}

// Helpers sleep in between, and small jobs do without them.
TEST(Threads, JobsNowAndThen) {
  int64_t sum = 0;
  for (int i = 0; i < 100; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    std::atomic<int64_t> part = 0;
    for (bool isSmall : {false, true})
      parallelFor(3, 4, [&](int64_t index, unsigned) { part += index; }, isSmall);
    sum += part;
  }
  EXPECT_EQ(sum, 600);
}

// A thread that falls asleep avoids the CPU of its caller.
TEST(Threads, AHelperThatWasAsleepMayUseEveryCpu) {
  cpu_set_t wanted;
  ASSERT_EQ(sched_getaffinity(0, sizeof wanted, &wanted), 0);
  for (int i = 0; i < 3; ++i) {
    std::atomic<int> equal = 0;
    onTwoThreads([&] {
      cpu_set_t found;
      if (sched_getaffinity(0, sizeof found, &found) == 0 && CPU_EQUAL(&found, &wanted))
        ++equal;
    });
    EXPECT_EQ(equal, 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}
