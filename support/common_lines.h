// The longest common subsequence of two texts, line by line: what a diff is made of.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace mmk {

/// The pairs (line of `a`, line of `b`) of a longest common subsequence, ascending in both. Takes
/// time in proportion to lines times differences, and memory to the square of the differences.
std::vector<std::pair<size_t, size_t>> commonLines(const std::vector<std::string> &a,
                                                   const std::vector<std::string> &b);

} // namespace mmk
