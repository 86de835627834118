// The synchronisation of a block at one point of its program, as far as the rest of the program can
// tell it from another.
//
// Events are what some pipe did last of a kind: the last reading or writing of a slot, the last set
// or wait of a flag. A pipe *knows* an event when all that the pipe does from here on happens after
// it. That is all of a happens-before order that can still matter: a pipe executes in order, so who
// knows the last event of a kind knows the earlier ones. It is finite, which lets a loop be
// followed until its states repeat.
#pragma once

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <vector>

namespace mmk::sync {

/// Sizes of the states of one program.
struct Layout {
  unsigned pipes = 0, events = 0, flags = 0;
  unsigned words() const { return (events + 63) / 64; }
  /// By pipe and then by flag, what of the knowledge they hold anybody can ever ask for. The rest
  /// would tell states apart that behave alike.
  std::vector<uint64_t> matters;
  /// States with the same flags become one, which knows what all of them know.
  bool merges = false;
};

using Words = std::vector<uint64_t>;

class State {
public:
  /// Nothing has happened: what never was needs no order, so all pipes know all events.
  explicit State(const Layout &layout);

  bool knows(const Layout &layout, unsigned pipe, unsigned event) const;
  /// The first event of `needed` (Layout::words() words) that the pipe does not know, or -1.
  int firstUnknown(const Layout &layout, unsigned pipe, const uint64_t *needed) const;

  /// An event happens anew on this pipe, which alone knows it; `op` is for messages.
  void happen(const Layout &layout, unsigned pipe, unsigned event, mlir::Operation *op);
  /// The same, of an event whose order is no question.
  void note(unsigned event, mlir::Operation *op) { last_[event] = op; }
  mlir::Operation *last(unsigned event) const { return last_[event]; }

  /// The flag takes along what the pipe knows now. With several sets ahead of the waits it takes
  /// what all of them know, which is what the first knew.
  void set(const Layout &layout, unsigned flag, unsigned pipe);
  /// The pipe gets to know what came with the flag.
  void wait(const Layout &layout, unsigned flag, unsigned pipe);

  /// Sets of the flag that no wait has taken down, in program order.
  unsigned sets(const Layout &layout, unsigned flag) const { return count(layout, flag) & 0xff; }
  /// Waits that the setting pipe is not known to come after.
  unsigned lateWaits(const Layout &layout, unsigned flag) const { return count(layout, flag) >> 8; }
  void forgetLateWaits(const Layout &layout, unsigned flag) { count(layout, flag) &= 0xff; }

  /// Drops the knowledge that nobody can ask for.
  void tidy(const Layout &layout);

  /// Whether whatever goes wrong after `other` also goes wrong after this one: the flags are the
  /// same, and nobody knows more.
  bool coversAll(const Layout &layout, const State &other) const;
  bool hasFlagsOf(const Layout &layout, const State &other) const;
  /// Forgets what the other does not know; false when that is nothing.
  bool forgetUnlike(const Layout &layout, const State &other);

private:
  uint64_t *knowledge(const Layout &layout, unsigned pipe) {
    return words_.data() + pipe * layout.words();
  }
  const uint64_t *knowledge(const Layout &layout, unsigned pipe) const {
    return words_.data() + pipe * layout.words();
  }
  uint64_t *cargo(const Layout &layout, unsigned flag) {
    return knowledge(layout, layout.pipes + flag);
  }
  uint64_t &count(const Layout &layout, unsigned flag) {
    return words_[(layout.pipes + layout.flags) * layout.words() + flag];
  }
  uint64_t count(const Layout &layout, unsigned flag) const {
    return words_[(layout.pipes + layout.flags) * layout.words() + flag];
  }

  /// What each pipe knows, what each flag that is up carries, then the flags' counts.
  Words words_;
  std::vector<mlir::Operation *> last_; ///< by event
};

/// States of different pasts at one point of the program; one that another covers is left out.
/// `news` receives what was not covered.
class States {
public:
  void add(const Layout &layout, State state, States *news = nullptr);
  void addAll(const Layout &layout, const States &others);
  bool empty() const { return states_.empty(); }
  size_t size() const { return states_.size(); }
  auto begin() { return states_.begin(); }
  auto end() { return states_.end(); }
  auto begin() const { return states_.begin(); }
  auto end() const { return states_.end(); }

private:
  std::vector<State> states_;
};

} // namespace mmk::sync
