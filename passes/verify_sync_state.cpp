#include "passes/verify_sync_state.h"

#include "llvm/ADT/STLExtras.h"

#include <bit>

namespace mmk::sync {

State::State(const Layout &layout)
    : words_((layout.pipes + layout.flags) * layout.words() + layout.flags, 0),
      last_(layout.events, nullptr) {
  std::fill_n(words_.begin(), layout.pipes * layout.words(), ~uint64_t(0));
}

bool State::knows(const Layout &layout, unsigned pipe, unsigned event) const {
  return knowledge(layout, pipe)[event / 64] >> (event % 64) & 1;
}

int State::firstUnknown(const Layout &layout, unsigned pipe, const uint64_t *needed) const {
  const uint64_t *known = knowledge(layout, pipe);
  for (unsigned word = 0; word < layout.words(); ++word)
    if (uint64_t unknown = needed[word] & ~known[word])
      return word * 64 + std::countr_zero(unknown);
  return -1;
}

void State::happen(const Layout &layout, unsigned pipe, unsigned event, mlir::Operation *op) {
  const unsigned words = layout.words();
  const uint64_t bit = uint64_t(1) << (event % 64);
  uint64_t *word = words_.data() + event / 64;
  for (unsigned holder = 0; holder < layout.pipes + layout.flags; ++holder, word += words)
    *word &= ~bit;
  knowledge(layout, pipe)[event / 64] |= bit;
  last_[event] = op;
}

void State::set(const Layout &layout, unsigned flag, unsigned pipe) {
  const bool isFirst = sets(layout, flag) == 0;
  uint64_t *to = cargo(layout, flag);
  const uint64_t *from = knowledge(layout, pipe);
  for (unsigned word = 0; word < layout.words(); ++word)
    to[word] = isFirst ? from[word] : to[word] & from[word];
  count(layout, flag) += 1;
}

void State::wait(const Layout &layout, unsigned flag, unsigned pipe) {
  uint64_t *from = cargo(layout, flag), *to = knowledge(layout, pipe);
  for (unsigned word = 0; word < layout.words(); ++word)
    to[word] |= from[word];
  uint64_t &counted = count(layout, flag);
  counted -= 1;
  if (counted >> 8 < 0xff)
    counted += 1 << 8;
  // What a flag that is down once carried is no part of the state.
  if ((counted & 0xff) == 0)
    std::fill_n(from, layout.words(), 0);
}

void State::tidy(const Layout &layout) {
  for (size_t i = 0; i < layout.matters.size(); ++i)
    words_[i] &= layout.matters[i];
}

bool State::hasFlagsOf(const Layout &layout, const State &other) const {
  const size_t held = (layout.pipes + layout.flags) * layout.words();
  return std::equal(words_.begin() + held, words_.end(), other.words_.begin() + held);
}

bool State::coversAll(const Layout &layout, const State &other) const {
  if (!hasFlagsOf(layout, other))
    return false;
  const size_t held = (layout.pipes + layout.flags) * layout.words();
  for (size_t i = 0; i < held; ++i)
    if (words_[i] & ~other.words_[i])
      return false;
  return true;
}

bool State::forgetUnlike(const Layout &layout, const State &other) {
  const size_t held = (layout.pipes + layout.flags) * layout.words();
  bool forgets = false;
  for (size_t i = 0; i < held; ++i) {
    forgets |= (words_[i] & ~other.words_[i]) != 0;
    words_[i] &= other.words_[i];
  }
  return forgets;
}

void States::add(const Layout &layout, State state, States *news) {
  state.tidy(layout);
  if (layout.merges) {
    for (State &known : states_)
      if (known.hasFlagsOf(layout, state)) {
        if (known.forgetUnlike(layout, state) && news)
          news->add(layout, known);
        return;
      }
  } else {
    for (const State &known : states_)
      if (known.coversAll(layout, state))
        return;
    llvm::erase_if(states_, [&](const State &known) { return state.coversAll(layout, known); });
  }
  if (news)
    news->add(layout, state);
  states_.push_back(std::move(state));
}

void States::addAll(const Layout &layout, const States &others) {
  for (const State &state : others)
    add(layout, state);
}

} // namespace mmk::sync
