// Work that takes longer than an answer may: one thread, so that typing is never waited for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace mmk::lsp {

class Background {
public:
  Background();
  /// Waits for the work that has begun; drops the rest.
  ~Background();

  using Clock = std::chrono::steady_clock;
  /// Adds work that begins after `delay` at the earliest. Waiting work with the same key, which is
  /// not empty, is dropped.
  void add(std::string key, Clock::duration delay, std::function<void()> work);

private:
  void run();

  struct Work {
    std::string key;
    Clock::time_point notBefore;
    std::function<void()> run;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Work> waiting_;
  bool isOver_ = false;
  std::thread thread_; ///< last: it uses the others
};

} // namespace mmk::lsp
