#include "lsp/background.h"

#include <algorithm>

namespace mmk::lsp {

Background::Background() : thread_([this] { run(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    isOver_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Background::add(std::string key, Clock::duration delay, std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (!key.empty())
      waiting_.remove_if([&](const Work &each) { return each.key == key; });
    waiting_.push_back({std::move(key), Clock::now() + delay, std::move(work)});
  }
  changed_.notify_all();
}

void Background::run() {
  std::unique_lock lock(mutex_);
  while (!isOver_) {
    const auto next = std::ranges::min_element(waiting_, {}, &Work::notBefore);
    if (next == waiting_.end()) {
      changed_.wait(lock);
    } else if (const auto start = next->notBefore; start > Clock::now()) {
      changed_.wait_until(lock, start);
    } else {
      const std::function<void()> work = std::move(next->run);
      waiting_.erase(next);
      lock.unlock();
      work();
      lock.lock();
    }
  }
}

} // namespace mmk::lsp
