// Two printed IR texts side by side, by what they say: the printer numbers values anew when one is
// added, so a plain diff of two variants would show nearly every line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mmk {

struct IrDiff {
  size_t removed = 0, added = 0;
  /// The lines of a unified diff, its "@@ -1,7 +1,8 @@" among them; none when the texts are the
  /// same. Lines that are in both stand as they do in the second.
  std::vector<std::string> lines;
};

/// Two lines are the same when they differ in their indentation and the names of their values
/// alone, and each value comes from the same line.
IrDiff diffIr(std::string_view a, std::string_view b, size_t context = 3);

} // namespace mmk
