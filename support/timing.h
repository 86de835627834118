// The time of a command, as a tree of named phases.
//
// MLIR's DefaultTimingManager is not used: this folder knows no MLIR, and its timers can only be
// printed, while reports write these values as JSON and add LLVM's back-end passes to them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace mmk {

/// Records while it exists, in the thread that made it; one at a time. Scopes that begin meanwhile
/// end before it does.
class Timing {
public:
  struct Part {
    std::string name;
    double milliseconds = 0; ///< of wall time, with its parts
    int64_t count = 0;       ///< how often it was entered
    std::deque<Part> parts;  ///< in the order of their first time; pointers to them stay valid

    /// The time outside its parts.
    double rest() const;
  };

  Timing();
  ~Timing();
  Timing(const Timing &) = delete;
  Timing &operator=(const Timing &) = delete;

  /// The whole time since construction; its milliseconds are those until now.
  const Part &total();

  static bool isOn() { return current != nullptr; }
  /// Adds a measured time to the open part.
  static void add(std::string_view name, double milliseconds);

private:
  friend class TimedScope;
  Part &partOf(Part &parent, std::string_view name);

  static thread_local Timing *current;
  Part root_;
  Part *open_ = &root_;
  int64_t start_;
};

/// A part of the time, from here to the end of the scope. It does nothing, at no cost, while no
/// recording exists. Parts of one name within the same part are one.
class TimedScope {
public:
  explicit TimedScope(std::string_view name) {
    if (Timing::isOn())
      begin(name);
  }
  ~TimedScope() {
    if (part_)
      end();
  }
  TimedScope(const TimedScope &) = delete;
  TimedScope &operator=(const TimedScope &) = delete;

private:
  void begin(std::string_view name);
  void end();

  Timing::Part *part_ = nullptr, *parent_ = nullptr;
  int64_t start_ = 0;
};

/// The tree, a line a part: milliseconds, share of the total, name. `[n]` behind a name: entered n
/// times. Parts below 1 % of the total share a line, and so do unnamed ones.
std::string text(const Timing::Part &total);

} // namespace mmk
