#include "support/timing.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace mmk {
namespace {

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The least share that gets a line of its own.
constexpr double leastShare = 0.01;

struct Printer {
  double total;
  std::string text;

  void line(double milliseconds, size_t depth, const std::string &name) {
    text += fmt::format("{:>10.3f}  {:>5.1f}  {:{}}{}\n", milliseconds, 100 * milliseconds / total,
                        "", 2 * depth, name);
  }
  void print(const Timing::Part &part, size_t depth) {
    line(part.milliseconds, depth,
         part.count > 1 ? fmt::format("{} [{}]", part.name, part.count) : part.name);
    size_t small = 0;
    double ofSmall = 0;
    for (const Timing::Part &each : part.parts)
      if (each.milliseconds >= leastShare * total) {
        print(each, depth + 1);
      } else {
        ++small;
        ofSmall += each.milliseconds;
      }
    if (small > 0)
      line(ofSmall, depth + 1, fmt::format("({} small)", small));
    if (!part.parts.empty() && part.rest() >= leastShare * total)
      line(part.rest(), depth + 1, "(rest)");
  }
};

} // namespace

thread_local Timing *Timing::current = nullptr;

Timing::Timing() : start_(now()) {
  root_.name = "total";
  root_.count = 1;
  current = this;
}

Timing::~Timing() { current = nullptr; }

double Timing::Part::rest() const {
  double rest = milliseconds;
  for (const Part &part : parts)
    rest -= part.milliseconds;
  return std::max(rest, 0.0);
}

const Timing::Part &Timing::total() {
  root_.milliseconds = 1e-6 * static_cast<double>(now() - start_);
  return root_;
}

Timing::Part &Timing::partOf(Part &parent, std::string_view name) {
  const auto known = std::ranges::find(parent.parts, name, &Part::name);
  if (known != parent.parts.end())
    return *known;
  Part &part = parent.parts.emplace_back();
  part.name = name;
  return part;
}

void Timing::add(std::string_view name, double milliseconds) {
  if (!current)
    return;
  Part &part = current->partOf(*current->open_, name);
  part.milliseconds += milliseconds;
  ++part.count;
}

void TimedScope::begin(std::string_view name) {
  Timing &timing = *Timing::current;
  parent_ = timing.open_;
  part_ = &timing.partOf(*parent_, name);
  timing.open_ = part_;
  start_ = now();
}

void TimedScope::end() {
  part_->milliseconds += 1e-6 * static_cast<double>(now() - start_);
  ++part_->count;
  Timing::current->open_ = parent_;
}

std::string text(const Timing::Part &total) {
  Printer printer{total.milliseconds, fmt::format("{:>10}  {:>5}\n", "ms", "%")};
  printer.print(total, 0);
  return printer.text;
}

} // namespace mmk
