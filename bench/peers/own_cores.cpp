#include "bench/peers/own_cores.h"

#include "bench/ceilings.h"

#include <chrono>
#include <thread>

namespace mmk::peers {
namespace {

/// As a fraction of that many times one thread's rate. Two threads on one core reach half.
constexpr double enough = 0.9;

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

bool haveOwnCores(unsigned threads) {
  return measureCeiling(Unit::f32, threads) >= enough * threads * measureCeiling(Unit::f32, 1);
}

bool OnOwnCores::wait(unsigned threads) {
  const auto begin = std::chrono::steady_clock::now();
  while (!haveOwnCores(threads)) {
    if (secondsSince(begin) > patience_) {
      patience_ = 0;
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  patience_ -= secondsSince(begin);
  return true;
}

Row OnOwnCores::measure(const RowToMeasure &row, double seconds) {
  for (;;) {
    const bool before = row.threads == 1 || wait(row.threads);
    const auto begin = std::chrono::steady_clock::now();
    Row measured = row.measure(seconds);
    if (row.threads == 1 || (before && haveOwnCores(row.threads)))
      return measured;
    patience_ -= secondsSince(begin);
    if (patience_ <= 0) {
      measured.sharesCore = true;
      return measured;
    }
  }
}

} // namespace mmk::peers
