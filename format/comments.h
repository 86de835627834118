// The comments of a text, each given to the token that it is printed with.
#pragma once

#include "frontend/parse_tree.h"

#include <map>
#include <string>
#include <vector>

namespace mmk::format {

/// A comment on a line of its own, before a token. Several on one line are one.
struct OwnLine {
  std::string text;
  bool followsEmptyLine = false;
};

/// What surrounds a token beside other tokens.
struct Surroundings {
  std::vector<OwnLine> above;
  std::string before; ///< comments on its line, before it
  std::string behind; ///< comments at the end of its line
  /// Whether an empty line is before it, or before the first comment above it.
  bool followsEmptyLine = false, firstFollowsEmptyLine = false;
};

/// Where the comments of `tree` are printed, by the index of the token.
std::map<size_t, Surroundings> surroundingsOf(ParseTree &tree);

} // namespace mmk::format
