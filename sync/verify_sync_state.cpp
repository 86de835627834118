#include "sync/verify_sync_state.h"

#include <algorithm>
#include <bit>

namespace mmk::sync {

bool State::knows(unsigned pipe, unsigned event) const {
  return knowledge(pipe)[event / 64] >> (event % 64) & 1;
}

int State::firstUnknown(unsigned pipe, const uint64_t *needed) const {
  const uint64_t *known = knowledge(pipe);
  for (unsigned word = 0; word < layout_->words(); ++word)
    if (uint64_t unknown = needed[word] & ~known[word])
      return word * 64 + std::countr_zero(unknown);
  return -1;
}

void State::happen(unsigned pipe, unsigned event, mlir::Operation *op) {
  const unsigned words = layout_->words();
  const uint64_t bit = uint64_t(1) << (event % 64);
  uint64_t *word = words_ + event / 64;
  for (unsigned holder = 0; holder < layout_->pipes + layout_->flags; ++holder, word += words)
    *word &= ~bit;
  knowledge(pipe)[event / 64] |= bit;
  note(event, op);
}

void State::note(unsigned event, mlir::Operation *op) {
  if (layout_->namesOps)
    words_[layout_->held() + layout_->flags + event] = reinterpret_cast<uint64_t>(op);
}

mlir::Operation *State::last(unsigned event) const {
  return layout_->namesOps
             ? reinterpret_cast<mlir::Operation *>(words_[layout_->held() + layout_->flags + event])
             : nullptr;
}

void State::set(unsigned flag, unsigned pipe) {
  const bool isFirst = sets(flag) == 0;
  uint64_t *to = cargo(flag);
  const uint64_t *from = knowledge(pipe);
  for (unsigned word = 0; word < layout_->words(); ++word)
    to[word] = isFirst ? from[word] : to[word] & from[word];
  count(flag) += 1;
}

void State::wait(unsigned flag, unsigned pipe) {
  uint64_t *from = cargo(flag), *to = knowledge(pipe);
  for (unsigned word = 0; word < layout_->words(); ++word)
    to[word] |= from[word];
  uint64_t &counted = count(flag);
  counted -= 1;
  if (counted >> 8 < 0xff)
    counted += 1 << 8;
  // The former knowledge of a flag that is down is no part of the state.
  if ((counted & 0xff) == 0)
    std::fill_n(from, layout_->words(), 0);
}

void State::join(const std::vector<unsigned> &pipes) {
  for (unsigned word = 0; word < layout_->words(); ++word) {
    uint64_t all = 0;
    for (unsigned pipe : pipes)
      all |= knowledge(pipe)[word];
    for (unsigned pipe : pipes)
      knowledge(pipe)[word] = all;
  }
}

void State::tidy() {
  for (size_t i = 0; i < layout_->matters.size(); ++i)
    words_[i] &= layout_->matters[i];
}

bool State::hasFlagsOf(const State &other) const {
  return std::equal(&count(0), &count(layout_->flags), &other.count(0));
}

bool State::coversAll(const State &other) const {
  for (size_t i = 0; i < layout_->held(); ++i)
    if (words_[i] & ~other.words_[i])
      return false;
  return hasFlagsOf(other);
}

bool State::forgetUnlike(const State &other) {
  uint64_t forgotten = 0;
  for (size_t i = 0; i < layout_->held(); ++i) {
    forgotten |= words_[i] & ~other.words_[i];
    words_[i] &= other.words_[i];
  }
  return forgotten != 0;
}

void States::addFirst() {
  words_.resize(++size_ * layout_->size(), 0);
  std::fill_n((*this)[size_ - 1].words_, layout_->pipes * layout_->words(), ~uint64_t(0));
}

void States::add(State state, States *news) {
  const size_t before = size_++, words = layout_->size();
  words_.insert(words_.end(), state.words_, state.words_ + words);
  (*this)[before].tidy();
  auto dropFrom = [&](size_t end) {
    size_ = end;
    words_.resize(end * words);
  };
  if (layout_->merges) {
    for (size_t i = 0; i < before; ++i)
      if ((*this)[i].hasFlagsOf((*this)[before])) {
        if ((*this)[i].forgetUnlike((*this)[before]) && news)
          news->add((*this)[i]);
        return dropFrom(before);
      }
    if (news)
      news->add((*this)[before]);
    return;
  }
  for (size_t i = 0; i < before; ++i)
    if ((*this)[i].coversAll((*this)[before]))
      return dropFrom(before);
  if (news)
    news->add((*this)[before]);
  // Keeps the other states, without those that the new one covers.
  size_t kept = 0;
  for (size_t i = 0; i <= before; ++i) {
    if (i < before && (*this)[before].coversAll((*this)[i]))
      continue;
    if (kept != i)
      std::copy_n((*this)[i].words_, words, (*this)[kept].words_);
    ++kept;
  }
  dropFrom(kept);
}

int64_t States::addAll(States &others, States *news) {
  int64_t compared = 0;
  for (size_t i = 0; i < others.size(); ++i) {
    compared += static_cast<int64_t>(size_);
    add(others[i], news);
  }
  return compared;
}

} // namespace mmk::sync
