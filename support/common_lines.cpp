#include "support/common_lines.h"

#include <algorithm>
#include <cstdint>

namespace mmk {

std::vector<std::pair<size_t, size_t>> commonLines(const std::vector<std::string> &a,
                                                   const std::vector<std::string> &b) {
  size_t first = 0, endA = a.size(), endB = b.size();
  while (first < std::min(endA, endB) && a[first] == b[first])
    ++first;
  while (std::min(endA, endB) > first && a[endA - 1] == b[endB - 1])
    --endA, --endB;

  // length(i, j): of the longest common subsequence of the lines from i and from j on.
  const size_t width = endB - first + 1;
  std::vector<uint32_t> lengths((endA - first + 1) * width, 0);
  const auto length = [&](size_t i, size_t j) -> uint32_t & {
    return lengths[(i - first) * width + (j - first)];
  };
  for (size_t i = endA; i-- > first;)
    for (size_t j = endB; j-- > first;)
      length(i, j) =
          a[i] == b[j] ? length(i + 1, j + 1) + 1 : std::max(length(i + 1, j), length(i, j + 1));

  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < first; ++i)
    pairs.emplace_back(i, i);
  for (size_t i = first, j = first; i < endA && j < endB;)
    if (a[i] == b[j])
      pairs.emplace_back(i++, j++);
    else if (length(i + 1, j) >= length(i, j + 1))
      ++i;
    else
      ++j;
  for (size_t i = endA, j = endB; i < a.size(); ++i, ++j)
    pairs.emplace_back(i, j);
  return pairs;
}

} // namespace mmk
