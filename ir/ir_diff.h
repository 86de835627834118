// The difference of two printed IR texts up to the names of values: the printer renumbers values
// when one is added, so a plain diff of two variants would show nearly every line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mmk {

struct IrDiff {
  size_t removed = 0, added = 0;
  /// The lines of a unified diff, its "@@ -1,7 +1,8 @@" among them; none when the texts are the
  /// same. Lines of both are printed as in the second.
  std::vector<std::string> lines;
};

/// Two lines are equal when they differ only in indentation and names of values, and each value
/// comes from the same line.
IrDiff diffIr(std::string_view a, std::string_view b, size_t context = 3);

} // namespace mmk
