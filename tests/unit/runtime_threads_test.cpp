// The pool: every index once, whatever calls it and from where.
#include "runtime/threads.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace mmk;

TEST(Threads, ThereIsAtLeastOne) { EXPECT_GE(availableThreads(), 1u); }

TEST(Threads, EveryIndexOnce) {
  for (int64_t count : {0, 1, 2, 3, 17, 10000})
    for (unsigned threads : {0u, 1u, 2u, 7u, 100000u}) {
      std::vector<std::atomic<int>> calls(count);
      std::atomic<bool> workersInRange = true;
      parallelFor(count, threads, [&](int64_t index, unsigned worker) {
        ++calls[index];
        if (worker >= std::max(threads, 1u))
          workersInRange = false;
      });
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

TEST(Threads, ManySmallJobsInARow) {
  int64_t sum = 0;
  for (int i = 0; i < 20000; ++i) {
    std::atomic<int64_t> part = 0;
    parallelFor(3, 2, [&](int64_t index, unsigned) { part += index; });
    sum += part;
  }
  EXPECT_EQ(sum, 60000);
}
