// The synchronisation of a block at one point of its program, as far as the rest of the program
// depends on it.
//
// An event is the last operation of a kind on some pipe: the last read or write of a slot, the last
// set or wait of a flag. A pipe *knows* an event when all that the pipe does from here on happens
// after it. That is the part of the happens-before order that can still matter: a pipe executes in
// order, so knowing the last event of a kind includes the earlier ones. It is finite, so a loop can
// be followed until its states repeat.
#pragma once

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <vector>

namespace mmk::sync {

/// Sizes of the states of one program.
struct Layout {
  unsigned pipes = 0, events = 0, flags = 0;
  unsigned words() const { return (events + 63) / 64; }
  /// By pipe and then by flag, the part of their knowledge that can be observed later. The rest
  /// would distinguish states that behave equally.
  std::vector<uint64_t> matters;
  /// States with the same flags are merged into one with their common knowledge.
  bool merges = false;
  /// A state records the operation of an event, for messages.
  bool namesOps = false;

  /// Words of the knowledge of all pipes and flags, and of a state.
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

  /// A new event on this pipe, which only this pipe knows; `op` is for messages.
  void happen(unsigned pipe, unsigned event, mlir::Operation *op);
  /// The same for an event that needs no order.
  void note(unsigned event, mlir::Operation *op);
  /// Null when the layout names no operations.
  mlir::Operation *last(unsigned event) const;

  /// The flag carries the knowledge of the pipe. With several sets ahead of the waits it carries
  /// their common knowledge, which is that of the first.
  void set(unsigned flag, unsigned pipe);
  /// The pipe receives the knowledge of the flag.
  void wait(unsigned flag, unsigned pipe);

  /// All of these pipes share their knowledge.
  void join(const std::vector<unsigned> &pipes);

  /// Sets of the flag that no wait has consumed, in program order.
  unsigned sets(unsigned flag) const { return count(flag) & 0xff; }
  /// Waits that are not known to happen before the setting pipe's next work.
  unsigned lateWaits(unsigned flag) const { return count(flag) >> 8; }
  void forgetLateWaits(unsigned flag) { count(flag) &= 0xff; }

private:
  friend class States;

  /// Drops the knowledge that cannot be observed.
  void tidy();
  /// Whether every fault after `other` also occurs after this state: the flags are the same, and no
  /// pipe knows more.
  bool coversAll(const State &other) const;
  bool hasFlagsOf(const State &other) const;
  /// Drops knowledge that the other lacks; false when there is none.
  bool forgetUnlike(const State &other);

  uint64_t *knowledge(unsigned pipe) const { return words_ + pipe * layout_->words(); }
  uint64_t *cargo(unsigned flag) const { return knowledge(layout_->pipes + flag); }
  uint64_t &count(unsigned flag) const { return words_[layout_->held() + flag]; }

  const Layout *layout_;
  /// The knowledge of each pipe and of each flag that is up, the flags' counts, and the operations
  /// of events.
  uint64_t *words_;
};

/// States of different pasts at one point of the program; one that another covers is left out.
/// Their words are contiguous, so that copies are cheap: an exploration copies states at each
/// branch.
class States {
public:
  explicit States(const Layout &layout) : layout_(&layout) {}

  /// The initial state: an event that never happened needs no order, so all pipes know all events.
  void addFirst();
  /// `news` receives the states that were not covered.
  void add(State state, States *news = nullptr);
  /// Returns how many states were compared.
  int64_t addAll(States &others, States *news = nullptr);

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  const Words &words() const { return words_; }
  State operator[](size_t i) { return State(*layout_, words_.data() + i * layout_->size()); }

private:
  const Layout *layout_;
  size_t size_ = 0;
  Words words_;
};

} // namespace mmk::sync
