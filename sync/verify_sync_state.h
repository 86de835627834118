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
  /// By pipe and then by flag, what of the knowledge they hold can be observed later. The rest
  /// would make states differ that behave alike.
  std::vector<uint64_t> matters;
  /// States with the same flags become one, which knows what all of them know.
  bool merges = false;
  /// A state says which operation an event was, for messages.
  bool namesOps = false;

  /// Words of what all pipes and flags hold, and of a state.
  unsigned held() const { return (pipes + flags) * words(); }
  unsigned size() const { return held() + flags + (namesOps ? events : 0); }
};

using Words = std::vector<uint64_t>;

/// One state of a States, which holds its words.
class State {
public:
  State(const Layout &layout, uint64_t *words) : layout_(&layout), words_(words) {}

  bool knows(unsigned pipe, unsigned event) const;
  /// The first event of `needed` (Layout::words() words) that the pipe does not know, or -1.
  int firstUnknown(unsigned pipe, const uint64_t *needed) const;

  /// An event happens anew on this pipe, which alone knows it; `op` is for messages.
  void happen(unsigned pipe, unsigned event, mlir::Operation *op);
  /// The same, of an event whose order is no question.
  void note(unsigned event, mlir::Operation *op);
  /// Null when the layout names no operations.
  mlir::Operation *last(unsigned event) const;

  /// The flag takes along what the pipe knows now. With several sets ahead of the waits it takes
  /// what all of them know, which is what the first knew.
  void set(unsigned flag, unsigned pipe);
  /// The pipe gets to know what came with the flag.
  void wait(unsigned flag, unsigned pipe);

  /// All of these pipes get to know what each of them knows.
  void join(const std::vector<unsigned> &pipes);

  /// Sets of the flag that no wait has taken down, in program order.
  unsigned sets(unsigned flag) const { return count(flag) & 0xff; }
  /// Waits that the setting pipe is not known to come after.
  unsigned lateWaits(unsigned flag) const { return count(flag) >> 8; }
  void forgetLateWaits(unsigned flag) { count(flag) &= 0xff; }

private:
  friend class States;

  /// Drops the knowledge that cannot be observed.
  void tidy();
  /// Whether whatever goes wrong after `other` also goes wrong after this one: the flags are the
  /// same, and no pipe knows more.
  bool coversAll(const State &other) const;
  bool hasFlagsOf(const State &other) const;
  /// Forgets what the other does not know; false when that is nothing.
  bool forgetUnlike(const State &other);

  uint64_t *knowledge(unsigned pipe) const { return words_ + pipe * layout_->words(); }
  uint64_t *cargo(unsigned flag) const { return knowledge(layout_->pipes + flag); }
  uint64_t &count(unsigned flag) const { return words_[layout_->held() + flag]; }

  const Layout *layout_;
  /// What each pipe knows, what each flag that is up carries, the flags' counts, and the operations
  /// of events.
  uint64_t *words_;
};

/// States of different pasts at one point of the program; one that another covers is left out.
/// Their words lie one behind the other, so that copies are cheap: a walk copies states at each
/// branch.
class States {
public:
  explicit States(const Layout &layout) : layout_(&layout) {}

  /// Nothing has happened: what never was needs no order, so all pipes know all events.
  void addFirst();
  /// `news` receives what was not covered.
  void add(State state, States *news = nullptr);
  /// Returns how many states were compared.
  int64_t addAll(States &others, States *news = nullptr);

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  State operator[](size_t i) { return State(*layout_, words_.data() + i * layout_->size()); }

private:
  const Layout *layout_;
  size_t size_ = 0;
  Words words_;
};

} // namespace mmk::sync
