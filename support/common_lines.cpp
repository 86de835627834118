#include "support/common_lines.h"

#include <algorithm>
#include <span>

namespace mmk {
namespace {

using Lines = std::span<const std::string>;

/// E. W. Myers, "An O(ND) difference algorithm and its variations" (1986).
class Myers {
public:
  Myers(Lines a, Lines b) : a_(a), b_(b) {
    for (int64_t d = 0;; ++d) {
      farthest_.emplace_back(2 * d + 1);
      for (int64_t k = -d; k <= d; k += 2) {
        int64_t x = start(d, k), y = x - k;
        while (x < sizeA() && y < sizeB() && a_[x] == b_[y])
          ++x, ++y;
        farthest_[d][k + d] = x;
        if (x >= sizeA() && y >= sizeB())
          return;
      }
    }
  }

  /// Appends the pairs, with `offset` added to both lines.
  void appendTo(std::vector<std::pair<size_t, size_t>> &pairs, size_t offset) const {
    const size_t before = pairs.size();
    int64_t x = sizeA(), y = sizeB();
    for (int64_t d = static_cast<int64_t>(farthest_.size()) - 1; d >= 0; --d) {
      const int64_t k = x - y, from = start(d, k);
      for (; x > from; --x, --y)
        pairs.emplace_back(offset + x - 1, offset + y - 1);
      if (d > 0)
        isStepAlongB(d, k) ? --y : --x;
    }
    std::reverse(pairs.begin() + static_cast<std::ptrdiff_t>(before), pairs.end());
  }

private:
  int64_t sizeA() const { return static_cast<int64_t>(a_.size()); }
  int64_t sizeB() const { return static_cast<int64_t>(b_.size()); }
  int64_t at(int64_t d, int64_t k) const { return farthest_[d][k + d]; }
  /// Whether the d-th step to diagonal k leaves a line of b out, and not one of a.
  bool isStepAlongB(int64_t d, int64_t k) const {
    return k == -d || (k != d && at(d - 1, k - 1) < at(d - 1, k + 1));
  }
  /// Where d steps reach diagonal k, before the equal lines that follow.
  int64_t start(int64_t d, int64_t k) const {
    if (d == 0)
      return 0;
    return isStepAlongB(d, k) ? at(d - 1, k + 1) : at(d - 1, k - 1) + 1;
  }

  Lines a_, b_;
  /// By the number of lines left out: lines of a that a path reaches on each diagonal x - y, where
  /// x and y count lines from the ends.
  std::vector<std::vector<int64_t>> farthest_;
};

} // namespace

std::vector<std::pair<size_t, size_t>> commonLines(const std::vector<std::string> &a,
                                                   const std::vector<std::string> &b) {
  size_t first = 0, endA = a.size(), endB = b.size();
  while (first < std::min(endA, endB) && a[first] == b[first])
    ++first;
  while (std::min(endA, endB) > first && a[endA - 1] == b[endB - 1])
    --endA, --endB;

  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < first; ++i)
    pairs.emplace_back(i, i);
  Myers(std::span(a).subspan(first, endA - first), std::span(b).subspan(first, endB - first))
      .appendTo(pairs, first);
  for (size_t i = endA, j = endB; i < a.size(); ++i, ++j)
    pairs.emplace_back(i, j);
  return pairs;
}

} // namespace mmk
